// swift-format-ignore-file
import Foundation
import Persisting
import PersistingDiagnostics
import Testing

#if canImport(SwiftUI)
    import SwiftUI
#endif

struct TestingAndPreviewsArticle: Article {
    // snippet.show
    final class Recipe: PersistingModel {
        var id: Int64?
        var title = ""
        var minutes = 0
    }
    // snippet.hide

    // snippet.show
    func kitchen() throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Recipe.self)
        return manager
    }

    @Test func quickRecipes() throws {
        let manager = try kitchen()
        try manager.insert(Recipe.self, values: ["title": "Soup", "minutes": 20])
        try manager.insert(Recipe.self, values: ["title": "Stew", "minutes": 120])
        #expect(
            try manager.fetchAll(Recipe.self, where: \.minutes < 30).map(\.title)
                == ["Soup"])
    }
    // snippet.hide

    // snippet.show
    func recipe(
        _ title: String = "Soup", minutes: Int = 20, in manager: PersistenceManager
    ) throws -> Recipe {
        try manager.insert(
            Recipe.self, values: ["title": title, "minutes": minutes])
    }

    @Test func slowRecipes() throws {
        let manager = try kitchen()
        _ = try recipe(in: manager)
        let stew = try recipe("Stew", minutes: 120, in: manager)
        #expect(
            try manager.fetchAll(Recipe.self, where: \.minutes > 60).map(\.id) == [
                stew.id
            ])
    }
    // snippet.hide

    // snippet.show
    @Test func longestRecipe() throws {
        try kitchen().asCurrent {
            try Recipe.create(["title": "Soup", "minutes": 20])
            try Recipe.create(["title": "Stew", "minutes": 120])
            #expect(
                try Recipe.sorted(by: \.minutes, .descending).first()?.title
                    == "Stew")
        }
    }
    // snippet.hide

    // snippet.show
    @Test func recipeCanBeStored() throws {
        #expect(try PersistenceManager.selfTest(Recipe.self).isEmpty)
    }
    // snippet.hide

    func run() throws {
        let manager = try kitchen()
        try manager.insert(Recipe.self, values: ["title": "Soup", "minutes": 20])
        // snippet.show
        let (recipes, count) = try manager.expectingQueries(atMost: 2) {
            try (
                manager.fetchAll(Recipe.sorted(by: \.title)), manager.count(Recipe.self)
            )
        }
        // snippet.hide
        #expect(recipes.count == count)

        // snippet.show
        for advice in try manager.lint(
            Recipe.where(\.minutes == 20).sorted(by: \.title), minimumRows: 1)
        {
            // Recipe:
            // override class var indexes: [Index] { [Index("minutes", "title")] }
            print(advice.remedy ?? "")  // Recipe: … [Index("minutes", "title")]…
        }
        let all = try manager.lint(minimumRows: 1) {
            // each statement that runs here
            _ = try manager.fetchAll(Recipe.self, where: \.title == "Soup")
        }
        // snippet.hide
        #expect(all.map(\.finding) == [.scan(table: "RECIPE")])
    }
}

#if canImport(SwiftUI)
fileprivate typealias Recipe = TestingAndPreviewsArticle.Recipe
// snippet.show
struct RecipeList: View {
    let manager: PersistenceManager
    @State private var recipes: [Recipe] = []
    @State private var failure: String?

    var body: some View {
        List(recipes, id: \.id) { recipe in Text(recipe.title) }
            .overlay { if let failure { Text(failure) } }
            .task {
                do {
                    recipes = try await manager.fetchAll(
                        Recipe.sorted(by: \.title))
                } catch {
                    failure = "\(error)"
                }
            }
    }
}

extension PersistenceManager {
    static func forPreviews() throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Recipe.self)
        for title in ["Soup", "Stew"] {
            try manager.insert(Recipe.self, values: ["title": title])
        }
        return manager
    }
}

#Preview {
    switch Result(catching: PersistenceManager.forPreviews) {
    case .success(let manager): RecipeList(manager: manager)
    case .failure(let error): Text("\(error)")
    }
}
// snippet.hide
#endif
