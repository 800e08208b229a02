import ArgumentParser

struct BrandCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brand", abstract: "Brands: the look of the pages, and a set of accounts.",
        discussion: LocatingSettings.discussion,
        subcommands: [BrandCreate.self, BrandList.self, BrandShow.self, BrandUpdate.self])
}
