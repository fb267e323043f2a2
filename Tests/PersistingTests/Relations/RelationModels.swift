import Foundation
import Persisting

/// Classes with relations of all kinds. In a namespace, since other tests have classes of these names.
enum Pod {
    final class Show: PersistingModel {
        var id: Int64?
        var title = ""
        static let episodes = ToMany(inverse: Episode.show)
        static let tags = ToMany(through: episodes, Episode.tags)
        override class var relations: Relations { ["episodes": episodes, "tags": tags] }

        convenience init(_ title: String) {
            self.init()
            self.title = title
        }
    }

    final class Episode: PersistingModel {
        var id: Int64?
        var title = ""
        var seconds = 0
        var showID: Int64?
        static let show = ToOne(\Episode.showID, Show.self)
        static let tags = ManyToMany(Tagging.episode, Tagging.tag)
        override class var relations: Relations { ["show": show, "tags": tags] }

        convenience init(_ title: String, _ seconds: Int = 0, showID: Int64? = nil) {
            self.init()
            self.title = title
            self.seconds = seconds
            self.showID = showID
        }
    }

    final class Tag: PersistingModel {
        var id: Int64?
        var name = ""
        static let episodes = ManyToMany(inverse: Episode.tags)
        override class var relations: Relations { ["episodes": episodes] }

        convenience init(_ name: String) {
            self.init()
            self.name = name
        }
    }

    final class Tagging: PersistingModel {
        var episodeID: Int64 = 0
        var tagID: Int64 = 0
        static let episode = ToOne(\Tagging.episodeID, Episode.self)
        static let tag = ToOne(\Tagging.tagID, Tag.self)
        override class var relations: Relations { ["episode": episode, "tag": tag] }
        override class var primaryKey: PrimaryKey { .composite("episodeID", "tagID") }

        convenience init(_ episodeID: Int64, _ tagID: Int64) {
            self.init()
            self.episodeID = episodeID
            self.tagID = tagID
        }
    }

    /// Refers to itself.
    final class Worker: PersistingModel {
        var id: Int64?
        var name = ""
        var salary = 0
        var managerID: Int64?
        static let boss = ToOne(\Worker.managerID, Worker.self, onDelete: .setNull)
        static let reports = ToMany(inverse: boss)
        override class var relations: Relations { ["boss": boss, "reports": reports] }

        convenience init(_ name: String, _ salary: Int = 0, managerID: Int64? = nil) {
            self.init()
            self.name = name
            self.salary = salary
            self.managerID = managerID
        }
    }

    /// Has a key of two columns.
    final class Order: PersistingModel {
        var shop = ""
        var number = 0
        var customer = ""
        static let lines = ToMany(inverse: Line.order)
        override class var relations: Relations { ["lines": lines] }
        override class var primaryKey: PrimaryKey { .composite("shop", "number") }

        convenience init(_ shop: String, _ number: Int, _ customer: String = "") {
            self.init()
            self.shop = shop
            self.number = number
            self.customer = customer
        }
    }

    final class Line: PersistingModel {
        var id: Int64?
        var shop: String?
        var orderNumber: Int?
        var article = ""
        var quantity = 1
        static let order = ToOne([\Line.shop, \Line.orderNumber], Order.self)
        override class var relations: Relations { ["order": order] }

        convenience init(_ shop: String?, _ number: Int?, _ article: String, _ quantity: Int = 1) {
            self.init()
            self.shop = shop
            orderNumber = number
            self.article = article
            self.quantity = quantity
        }
    }
}

/// A manager in memory with the tables of all of them.
func podManager(dates: DateStorage = .unixSeconds) throws -> PersistenceManager {
    try memoryManager(
        Pod.Show.self, Pod.Episode.self, Pod.Tag.self, Pod.Tagging.self, Pod.Worker.self, Pod.Order.self, Pod.Line.self,
        dates: dates)
}
