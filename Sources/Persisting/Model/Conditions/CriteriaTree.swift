/// A condition that is still put together: joining two costs the same however many conditions they have, and so does
/// giving them up.
struct CriteriaTree: Sendable {
    enum Operator: Sendable {
        case and, or
    }

    private enum Content: Sendable {
        case node(CriteriaNode)
        case joined(Operator, CriteriaJoint)
    }

    private let content: Content
    /// How deep the conditions are nested. Those that one operator joins are on one level.
    private let depth: Int

    /// What a tree may be deep: it is walked, and destroyed, by recursion. SQLite's limit is lower.
    private static let greatestDepth = 100

    init(_ node: CriteriaNode) {
        self.init(.node(node), depth: node.depth)
    }

    private init(_ content: Content, depth: Int) {
        guard depth <= Self.greatestDepth else {
            self.content = .node(
                .invalid(
                    PersistenceError(
                        .invalidCriteria,
                        "the conditions are nested more than \(Self.greatestDepth) levels deep: "
                            + "join them by one operator, or ask for a list of values by .in")))
            self.depth = 1
            return
        }
        self.content = content
        self.depth = depth
    }

    func joined(_ sign: Operator, with other: CriteriaTree) -> CriteriaTree {
        CriteriaTree(
            .joined(sign, CriteriaJoint(self, other)), depth: max(depth(inside: sign), other.depth(inside: sign)) + 1)
    }

    /// The opposite.
    var negated: CriteriaTree {
        if case .node(.not(let node)) = content { return CriteriaTree(.node(node), depth: depth - 1) }
        return CriteriaTree(.node(.not(node)), depth: depth + 1)
    }

    /// The depth of what is joined to others by the same operator.
    private func depth(inside sign: Operator) -> Int {
        switch (content, sign) {
        case (.node(.and), .and), (.node(.or), .or): depth - 1
        case (.joined(let own, _), _) where own == sign: depth - 1
        default: depth
        }
    }

    var node: CriteriaNode {
        switch content {
        case .node(let node): node
        case .joined(.and, _): .and(parts(of: .and))
        case .joined(.or, _): .or(parts(of: .or))
        }
    }

    /// The conditions that an operator joins, in order.
    private func parts(of sign: Operator) -> [CriteriaNode] {
        var parts: [CriteriaNode] = []
        var rest: [CriteriaTree] = []
        var tree = self
        while true {
            if case .joined(sign, let joint) = tree.content, let left = joint.left, let right = joint.right {
                rest.append(right)
                tree = left
                continue
            }
            switch (tree.node, sign) {
            case (.and(let nodes), .and), (.or(let nodes), .or): parts += nodes
            case (let node, _): parts.append(node)
            }
            guard let next = rest.popLast() else { return parts }
            tree = next
        }
    }

    /// The joint that the tree is.
    fileprivate var joint: CriteriaJoint? { if case .joined(_, let joint) = content { joint } else { nil } }
}

extension CriteriaTree: CustomStringConvertible, CustomReflectable {
    var description: String { "\(node)" }
    // A mirror of the joints would be as deep as there are conditions.
    var customMirror: Mirror { Mirror(self, children: ["node": node], displayStyle: .struct) }
}

/// Two conditions that one operator joins. A condition made in a loop is a list of these as long as the loop.
private final class CriteriaJoint: Sendable {
    // Written by `deinit` alone, when nobody else has the joint.
    nonisolated(unsafe) private(set) var left: CriteriaTree?
    nonisolated(unsafe) private(set) var right: CriteriaTree?

    init(_ left: CriteriaTree, _ right: CriteriaTree) {
        (self.left, self.right) = (left, right)
    }

    // One after the other: left to themselves, joints would destroy those inside them by recursion.
    deinit {
        if left?.joint == nil, right?.joint == nil { return }
        var rest = [left?.joint, right?.joint].compactMap { $0 }
        (left, right) = (nil, nil)
        while var joint = rest.popLast() {
            guard isKnownUniquelyReferenced(&joint) else { continue }
            rest += [joint.left?.joint, joint.right?.joint].compactMap { $0 }
            (joint.left, joint.right) = (nil, nil)
        }
    }
}
