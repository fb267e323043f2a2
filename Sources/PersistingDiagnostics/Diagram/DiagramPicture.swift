/// Boxes and lines with their places: the parts of a schema that nothing connects, one beside or below the other.
struct DiagramPicture {
    struct PlacedBox {
        let box: DiagramBox
        let x: Double
        let y: Double
        let width: Double
    }

    /// A piece of a line: level from its start to a bend, since it crosses a layer there, and then curved.
    struct Path {
        let start: (x: Double, y: Double)
        let bend: Double
        let end: (x: Double, y: Double)
    }

    /// An end of a reference: the side of a box.
    struct End {
        let x: Double
        let y: Double
        /// 1 if the line leaves the box to the right, -1 to the left.
        let direction: Double
        /// Whether there may be none; nil where lines meet of which only some may have none.
        let isOptional: Bool?
        /// Whether there may be several.
        let isMany: Bool
    }

    private(set) var boxes: [PlacedBox] = []
    private(set) var paths: [Path] = []
    private(set) var ends: [End] = []
    /// The right side of a table that refers to itself, and the two rows.
    private(set) var loops: [(x: Double, from: Double, to: Double)] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    static let margin = 24.0
    /// The space between two layers, for the lines.
    static let layerGap = 72.0
    private static let partGap = 40.0

    init(_ diagram: SchemaDiagram) {
        let shown = diagram.tables.map(DiagramBox.init)
        let lines = Self.lines(of: diagram, shown)
        let parts = Self.parts(shown.count, lines)
        let connected = parts.filter { $0.count > 1 }
        let area = zip(shown.map(\.width), shown.map(\.height)).reduce(0) { $0 + ($1.0 + 90) * ($1.1 + 30) }
        let limit = max(360, (area / 1.7).squareRoot() * 0.9)
        let pictures = connected.map { Self.part($0, shown, lines, diagram, limit) }
        let widest = max(pictures.map(\.width).max() ?? 0, (area * 1.7).squareRoot())
        let bottom = addShelves(pictures, widest)
        let looped = Set(lines.filter { $0.parent == $0.child }.map(\.parent))
        let alone = parts.filter { $0.count == 1 }.map { (shown[$0[0]], looped.contains($0[0])) }
        addColumns(alone, below: bottom, widest)
        for line in lines where line.parent == line.child {
            guard let box = boxes.first(where: { $0.box.title == shown[line.parent].title }) else { continue }
            loops.append((box.x + box.width, box.y + line.childOffset, box.y + line.parentOffset))
        }
        let (right, lowest) = extent
        width = right + Self.margin + (loops.isEmpty ? 0 : 20)
        height = lowest + Self.margin
    }

    private init() {}

    private static func lines(of diagram: SchemaDiagram, _ shown: [DiagramBox]) -> [DiagramGraph.Line] {
        let places = Dictionary(diagram.tables.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        return diagram.references.enumerated().compactMap { number, reference in
            guard let parent = places[reference.parent], let child = places[reference.child] else { return nil }
            return DiagramGraph.Line(
                reference: number, parent: parent, child: child,
                parentOffset: shown[parent].offset(of: reference.parentColumns.first),
                childOffset: shown[child].offset(of: reference.columns.first))
        }
    }

    /// The sets of tables that lines connect, in the order of their first tables.
    private static func parts(_ count: Int, _ lines: [DiagramGraph.Line]) -> [[Int]] {
        var part = Array(0..<count)
        func root(_ table: Int) -> Int {
            var table = table
            while part[table] != table { table = part[table] }
            return table
        }
        for line in lines {
            let (first, second) = (root(line.parent), root(line.child))
            part[max(first, second)] = min(first, second)
        }
        return Dictionary(grouping: 0..<count, by: root).sorted { $0.key < $1.key }.map(\.value)
    }

    /// A connected part, with its left upper corner at 0, 0.
    private static func part(
        _ tables: [Int], _ shown: [DiagramBox], _ lines: [DiagramGraph.Line], _ diagram: SchemaDiagram, _ limit: Double
    ) -> DiagramPicture {
        var graph = DiagramGraph(
            tables.map { ($0, shown[$0].height) }, lines.filter { $0.parent != $0.child }, limit: limit)
        graph.reduceCrossings()
        graph.placeNodes()
        var (picture, x, lefts, widths) = (DiagramPicture(), 0.0, [Double](), [Double]())
        for layer in graph.layers {
            let width = layer.compactMap { graph.nodes[$0].table }.map { shown[$0].width }.max() ?? 0
            let pieces = graph.edges.count { layer.contains($0.left) }
            lefts.append(x)
            widths.append(width)
            x += width + layerGap + min(80, Double(pieces) * 3)
        }
        for node in graph.nodes {
            guard let table = node.table else { continue }
            picture.boxes.append(
                PlacedBox(box: shown[table], x: lefts[node.layer], y: node.y, width: widths[node.layer]))
        }
        for edge in graph.edges {
            let (left, right) = (graph.nodes[edge.left], graph.nodes[edge.right])
            let start = (
                x: lefts[left.layer] + (left.table == nil ? 0 : widths[left.layer]), y: left.y + edge.leftOffset
            )
            picture.paths.append(
                Path(
                    start: start, bend: lefts[left.layer] + widths[left.layer],
                    end: (lefts[right.layer], right.y + edge.rightOffset)))
        }
        picture.ends = ends(of: graph, diagram, lefts, widths)
        (picture.width, picture.height) = picture.extent
        return picture
    }

    private static func ends(
        of graph: DiagramGraph, _ diagram: SchemaDiagram, _ lefts: [Double], _ widths: [Double]
    ) -> [End] {
        func end(_ node: DiagramGraph.Node, _ offset: Double, isLeft: Bool) -> (x: Double, y: Double, Double) {
            let x = isLeft ? lefts[node.layer] : lefts[node.layer] + widths[node.layer]
            return (x, node.y + offset, isLeft ? -1 : 1)
        }
        return graph.lines.flatMap { line -> [End] in
            let reference = diagram.references[line.reference]
            let parent = end(graph.nodes[line.parent], line.parentOffset, isLeft: line.isTurned)
            let child = end(graph.nodes[line.child], line.childOffset, isLeft: !line.isTurned)
            let others = graph.lines.filter {
                $0.parent == line.parent && $0.parentOffset == line.parentOffset && $0.isTurned == line.isTurned
            }
            let isMixed = Set(others.map { diagram.references[$0.reference].isOptional }).count > 1
            return [
                End(
                    x: parent.x, y: parent.y, direction: parent.2,
                    isOptional: isMixed ? nil : reference.isOptional, isMany: false),
                End(
                    x: child.x, y: child.y, direction: child.2, isOptional: true,
                    isMany: !reference.isUnique),
            ]
        }
    }

    /// How far boxes and lines reach to the right and down.
    private var extent: (right: Double, bottom: Double) {
        let right = boxes.map { $0.x + $0.width }.max() ?? 0
        let bottoms = boxes.map { $0.y + $0.box.height } + paths.flatMap { [$0.start.y, $0.end.y] }
        return (right, bottoms.max() ?? 0)
    }

    /// Adds connected parts from left to right, the highest first, in as many rows as they need.
    ///
    /// - Returns: Where the next row begins.
    private mutating func addShelves(_ parts: [DiagramPicture], _ widest: Double) -> Double {
        var (x, y, shelf) = (Self.margin, Self.margin, 0.0)
        for part in parts.sorted(by: { $0.height > $1.height }) {
            if x > Self.margin, x + part.width > widest {
                (x, y, shelf) = (Self.margin, y + shelf + Self.partGap, 0)
            }
            add(part, x, y)
            x += part.width + Self.partGap
            shelf = max(shelf, part.height)
        }
        return parts.isEmpty ? y : y + shelf + Self.partGap
    }

    private mutating func add(_ part: DiagramPicture, _ x: Double, _ y: Double) {
        boxes += part.boxes.map { PlacedBox(box: $0.box, x: $0.x + x, y: $0.y + y, width: $0.width) }
        paths += part.paths.map {
            Path(start: ($0.start.x + x, $0.start.y + y), bend: $0.bend + x, end: ($0.end.x + x, $0.end.y + y))
        }
        ends += part.ends.map {
            End(
                x: $0.x + x, y: $0.y + y, direction: $0.direction, isOptional: $0.isOptional,
                isMany: $0.isMany)
        }
    }

    /// Adds tables that nothing connects, in columns of one width.
    private mutating func addColumns(_ alone: [(box: DiagramBox, isLooped: Bool)], below top: Double, _ widest: Double)
    {
        guard let width = alone.map(\.box.width).max() else { return }
        let gap = DiagramGraph.gap + (alone.contains(where: \.isLooped) ? 24 : 0)
        let count = max(1, min(alone.count, Int((widest - Self.margin) / (width + gap))))
        var bottoms = Array(repeating: top, count: count)
        for (box, _) in alone {
            let column = bottoms.indices.min { bottoms[$0] < bottoms[$1] } ?? 0
            boxes.append(
                PlacedBox(
                    box: box, x: Self.margin + Double(column) * (width + gap), y: bottoms[column], width: width))
            bottoms[column] += box.height + DiagramGraph.gap
        }
    }
}
