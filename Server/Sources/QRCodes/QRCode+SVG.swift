extension QRCode {
    /// The symbol as an SVG document.
    package var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(extent.count) \(extent.count)" \
        shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>\
        <path fill="#000" d="\(svgPath)"/></svg>
        """
    }

    /// The dark modules as the data of an SVG path, one unit to a module, with the quiet zone around them: what an SVG of
    /// the ``extent``'s size draws. Digits, signs and the letters `M h v z` alone.
    package var svgPath: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard isDark(row, column) else {
                    column += 1
                    continue
                }
                // One figure for a run of dark modules: neighbors drawn apart show hairlines between them.
                let end = (column..<width).first { !isDark(row, $0) } ?? width
                let length = end - column
                path += "M\(column + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
                column = end
            }
        }
        return path
    }
}
