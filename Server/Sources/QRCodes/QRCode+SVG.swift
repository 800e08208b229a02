extension QRCode {
    package var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(extent.count) \(extent.count)" \
        shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>\
        <path fill="#000" d="\(svgPath)"/></svg>
        """
    }

    /// The dark modules as SVG path data, one unit per module, including the quiet zone. An SVG of the size of
    /// ``extent`` draws it. It contains only digits, signs and the letters `M h v z`.
    package var svgPath: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard isDark(row, column) else {
                    column += 1
                    continue
                }
                // A single rectangle for each run of dark modules: separate neighbors show hairlines between them.
                let end = (column..<width).first { !isDark(row, $0) } ?? width
                let length = end - column
                path += "M\(column + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
                column = end
            }
        }
        return path
    }
}
