extension SchemaDiagram {
    /// The diagram as a picture: an SVG document.
    ///
    /// Parents are on the left, and what refers to them on the right. The ends of a line are those of crow's-foot
    /// notation. A table of more than 16 columns shows its keys and the first of the others. The colors suit light and
    /// dark backgrounds, since the picture has its own.
    public var svg: String {
        let picture = DiagramPicture(self)
        let (width, height) = (Self.number(picture.width), Self.number(picture.height))
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)">
            <style>
            text { font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; }
            .title { font-weight: bold; fill: #ffffff; }
            .type, .rest { fill: #59636e; }
            .mark { font-size: 9px; font-weight: bold; fill: #0550ae; }
            .box { fill: #ffffff; stroke: #8c959f; }
            .head { fill: #34506e; }
            .line { fill: none; stroke: #6e7781; stroke-width: 1.2; }
            .ring { fill: #f6f8fa; stroke: #6e7781; stroke-width: 1.2; }
            </style>
            <rect width="100%" height="100%" fill="#f6f8fa"/>
            """
        ]
        lines += picture.paths.map(Self.path)
        lines += picture.loops.map(Self.loop)
        lines += picture.boxes.map(Self.box)
        lines += Set(picture.ends.map(Self.end)).sorted()
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private static func path(_ path: DiagramPicture.Path) -> String {
        let (start, end) = (path.start, path.end)
        let middle = number((path.bend + end.x) / 2)
        let level = start.x == path.bend ? "" : " H\(number(path.bend))"
        let curve = " C\(middle),\(number(start.y)) \(middle),\(number(end.y)) \(number(end.x)),\(number(end.y))"
        return "<path class=\"line\" d=\"M\(number(start.x)),\(number(start.y))\(level)\(curve)\"/>"
    }

    private static func loop(_ x: Double, _ from: Double, _ to: Double) -> String {
        // Of a key that refers to itself, the ends are one row.
        let to = from == to ? from + 9 : to
        return "<path class=\"line\" d=\"M\(number(x)),\(number(from)) h10 C\(number(x + 26)),\(number(from)) "
            + "\(number(x + 26)),\(number(to)) \(number(x + 10)),\(number(to)) h-10"
            + " M\(number(x)),\(number(from - 4)) l8,4 l-8,4\"/>"
    }

    private static func box(_ placed: DiagramPicture.PlacedBox) -> String {
        let (box, x, y, width) = (placed.box, placed.x, placed.y, placed.width)
        let right = number(x + width - DiagramBox.padding)
        let side = number(DiagramBox.titleHeight - 4)
        var lines = [
            "<rect class=\"box\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
                + "height=\"\(number(box.height))\" rx=\"4\"/>",
            "<path class=\"head\" d=\"M\(number(x)),\(number(y + DiagramBox.titleHeight)) v-\(side) q0,-4 4,-4"
                + " h\(number(width - 8)) q4,0 4,4 v\(side) z\"/>",
            text(box.title, "title", x + DiagramBox.padding, y + 17),
        ]
        for (place, row) in box.rows.enumerated() {
            let base = y + DiagramBox.titleHeight + Double(place) * DiagramBox.rowHeight + 15
            // What a row is, from the left: its key, its name, its type.
            let mark = row.isPrimaryKey ? row.isForeignKey ? "PK FK" : "PK" : row.isForeignKey ? "FK" : ""
            if !mark.isEmpty { lines.append(text(mark, "mark", x + DiagramBox.padding, base - 1)) }
            lines.append(text(row.name, nil, x + DiagramBox.padding + box.markWidth, base))
            if !row.type.isEmpty {
                lines.append(
                    "<text class=\"type\" text-anchor=\"end\" x=\"\(right)\" y=\"\(number(base))\">"
                        + "\(escaped(row.type))</text>")
            }
        }
        if let rest = box.rest {
            let base = y + DiagramBox.titleHeight + Double(box.rows.count) * DiagramBox.rowHeight + 15
            lines.append(text(rest, "rest", x + DiagramBox.padding + box.markWidth, base))
        }
        return lines.joined(separator: "\n")
    }

    /// The signs at an end: a bar for one, a ring for none, a foot for many.
    private static func end(_ end: DiagramPicture.End) -> String {
        let (x, y, direction) = (end.x, end.y, end.direction)
        func at(_ distance: Double) -> String { number(x + direction * distance) }
        let first =
            end.isMany
            ? "<path class=\"line\" d=\"M\(number(x)),\(number(y - 5)) L\(at(9)),\(number(y)) "
                + "L\(number(x)),\(number(y + 5))\"/>"
            : "<path class=\"line\" d=\"M\(at(6)),\(number(y - 5)) v10\"/>"
        let second =
            switch end.isOptional {
            case true?: "<circle class=\"ring\" cx=\"\(at(13))\" cy=\"\(number(y))\" r=\"3.5\"/>"
            case false?: "<path class=\"line\" d=\"M\(at(10)),\(number(y - 5)) v10\"/>"
            case nil: ""
            }
        return first + second
    }

    private static func text(_ text: String, _ style: String?, _ x: Double, _ y: Double) -> String {
        let style = style.map { " class=\"\($0)\"" } ?? ""
        return "<text\(style) x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML has none of these, not even escaped.
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// A number with at most one digit after the point, the same on each platform.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}
