//! SVG without a tool: a drawing for a README or a web page, on white.

use std::fmt::Write as _;

use super::{
    Edge, Graph, Role,
    layout::{BOX_HEIGHT, Layout, Place, layout, rise},
};

/// Every rule is for this drawing alone: a page may hold it among others.
const STYLE: &str = ".phases text{font:14px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:#1c2733}\
.phases .small{font-size:11px;fill:#5b6b80}\
.phases .halo{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\
.phases rect{stroke-width:1.5;rx:9px}\
.phases .passing{fill:#eef2f7;stroke:#5b6b80}.phases .steady{fill:#e3f4e8;stroke:#2f855a;stroke-width:2.5}\
.phases .failed{fill:#fdeaea;stroke:#c53030}.phases .finalizer{fill:#f3ecfb;stroke:#6b46c1}\
.phases .edge{fill:none;stroke:#5b6b80;stroke-width:1.5}\
.phases .implicit{stroke:#d98c8c;stroke-dasharray:4 4;stroke-width:1.2}\
.phases .dot{fill:#5b6b80;stroke:none}.phases .ring{fill:none;stroke:#5b6b80;stroke-width:1.5}";

/// The graph as an SVG document.
#[must_use]
pub fn svg(graph: &Graph) -> String {
    let layout = layout(graph);
    let mut text = String::new();
    let (width, height) = (layout.width, layout.height);
    let _ = write!(
        text,
        "<svg class=\"phases\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-label=\"phases of {0}\">\n<title>{0}</title>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0.5 L7.5 4 L0 7.5 z\" fill=\"#5b6b80\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\" style=\"rx:0\"/>\n",
        escaped(&graph.name)
    );
    let (implicit, declared): (Vec<&Edge>, Vec<&Edge>) =
        graph.edges.iter().partition(|edge| edge.implicit);
    for edge in implicit.into_iter().chain(declared) {
        draw_edge(&mut text, &layout, edge);
    }
    for (node, place) in graph.nodes.iter().zip(&layout.places) {
        draw_marks(&mut text, &layout, node.initial, node.role, place);
        let class = match node.role {
            Role::Passing => "passing",
            Role::Steady => "steady",
            Role::Failed => "failed",
            Role::Finalizer => "finalizer",
        };
        let (x, y, width) = (place.x, place.y, layout.box_width);
        let _ = writeln!(
            text,
            "<g><title>{}</title><rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BOX_HEIGHT}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            escaped(if node.doc.is_empty() {
                &node.name
            } else {
                &node.doc
            }),
            x + width / 2.0,
            y + BOX_HEIGHT / 2.0 + 5.0,
            escaped(&node.name),
        );
    }
    text.push_str("</svg>\n");
    text
}

/// A cubic curve.
struct Curve {
    from: (f64, f64),
    bend: (f64, f64),
    unbend: (f64, f64),
    to: (f64, f64),
}

impl Curve {
    fn middle(&self) -> (f64, f64) {
        let at = |a: f64, b: f64, c: f64, d: f64| (a + 3.0 * (b + c) + d) / 8.0;
        (
            at(self.from.0, self.bend.0, self.unbend.0, self.to.0),
            at(self.from.1, self.bend.1, self.unbend.1, self.to.1),
        )
    }
}

fn draw_edge(text: &mut String, layout: &Layout, edge: &Edge) {
    let (Some(from), Some(to)) = (layout.places.get(edge.from), layout.places.get(edge.to)) else {
        return;
    };
    let curve = curve(layout.box_width, from, to);
    let class = if edge.implicit {
        "edge implicit"
    } else {
        "edge"
    };
    let _ = writeln!(
        text,
        "<path class=\"{class}\" marker-end=\"url(#tip)\" d=\"M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
        curve.from.0,
        curve.from.1,
        curve.bend.0,
        curve.bend.1,
        curve.unbend.0,
        curve.unbend.1,
        curve.to.0,
        curve.to.1,
    );
    if let Some(after) = &edge.after {
        let (x, y) = curve.middle();
        let _ = writeln!(
            text,
            "<text class=\"small halo\" x=\"{x:.1}\" y=\"{:.1}\">after {}</text>",
            y + 4.0,
            escaped(after)
        );
    }
}

fn curve(width: f64, from: &Place, to: &Place) -> Curve {
    match (from.beneath, to.beneath) {
        (false, true) => down(width, from, to),
        (true, false) => up(width, from, to),
        _ if rise(from.column, to.column) > 0.0 => over(width, from, to),
        _ if from.column == to.column => beside(width, from, to),
        _ => ahead(width, from, to),
    }
}

/// To the next column.
fn ahead(width: f64, from: &Place, to: &Place) -> Curve {
    let start = (from.x + width, from.y + BOX_HEIGHT / 2.0);
    let end = (to.x - 2.0, to.y + BOX_HEIGHT / 2.0);
    let half = (end.0 - start.0) / 2.0;
    Curve {
        from: start,
        bend: (start.0 + half, start.1),
        unbend: (end.0 - half, end.1),
        to: end,
    }
}

/// Back, or past a column: over the boxes.
fn over(width: f64, from: &Place, to: &Place) -> Curve {
    let forward = to.column > from.column;
    let (leave, arrive) = if forward { (0.7, 0.3) } else { (0.35, 0.65) };
    let start = (width.mul_add(leave, from.x), from.y);
    let end = (width.mul_add(arrive, to.x), to.y - 2.0);
    let top = from.y.min(to.y) - rise(from.column, to.column) * 4.0 / 3.0;
    Curve {
        from: start,
        bend: (start.0, top),
        unbend: (end.0, top),
        to: end,
    }
}

/// Within a column.
fn beside(width: f64, from: &Place, to: &Place) -> Curve {
    let downward = to.row > from.row;
    let (x, start_y, end_y) = if downward {
        (width.mul_add(0.6, from.x), from.y + BOX_HEIGHT, to.y - 2.0)
    } else {
        (width.mul_add(0.4, from.x), from.y, to.y + BOX_HEIGHT + 2.0)
    };
    let third = (end_y - start_y) / 3.0;
    Curve {
        from: (x, start_y),
        bend: (x, start_y + third),
        unbend: (x, end_y - third),
        to: (x, end_y),
    }
}

/// To the row beneath: arrivals are spread over the box, in the order of where they come from.
fn down(width: f64, from: &Place, to: &Place) -> Curve {
    let start = (width.mul_add(0.5, from.x), from.y + BOX_HEIGHT);
    let lean = ((start.0 - (to.x + width / 2.0)) / 12.0).clamp(-width * 0.35, width * 0.35);
    let end = (width.mul_add(0.5, to.x) + lean, to.y - 2.0);
    let half = (end.1 - start.1) / 2.0;
    Curve {
        from: start,
        bend: (start.0, start.1 + half),
        unbend: (end.0, end.1 - half),
        to: end,
    }
}

/// From the row beneath: out of its side, up into the box from below.
fn up(width: f64, from: &Place, to: &Place) -> Curve {
    let leftward = to.x <= from.x;
    let start = (
        if leftward { from.x } else { from.x + width },
        from.y + BOX_HEIGHT / 2.0,
    );
    let end = (
        width.mul_add(if leftward { 0.25 } else { 0.75 }, to.x),
        to.y + BOX_HEIGHT + 2.0,
    );
    Curve {
        from: start,
        bend: (end.0, start.1),
        unbend: (end.0, (start.1 + end.1) / 2.0),
        to: end,
    }
}

/// Where objects come in and go out.
fn draw_marks(text: &mut String, layout: &Layout, initial: bool, role: Role, place: &Place) {
    let (x, middle) = (place.x, place.y + BOX_HEIGHT / 2.0);
    if initial {
        let _ = writeln!(
            text,
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"5\"/>\
             <path class=\"edge\" marker-end=\"url(#tip)\" d=\"M{:.1} {middle:.1} H{:.1}\"/>",
            x - 36.0,
            x - 36.0,
            x - 2.0,
        );
    }
    if role == Role::Finalizer {
        let right = x + layout.box_width;
        let _ = writeln!(
            text,
            "<text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">deleted, from any phase</text>\
             <path class=\"edge\" marker-end=\"url(#tip)\" d=\"M{:.1} {:.1} V{:.1}\"/>\
             <path class=\"edge\" marker-end=\"url(#tip)\" d=\"M{right:.1} {middle:.1} H{:.1}\"/>\
             <circle class=\"ring\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"6\"/><circle class=\"dot\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"3\"/>",
            x + layout.box_width / 2.0,
            place.y - 30.0,
            x + layout.box_width / 2.0,
            place.y - 24.0,
            place.y - 2.0,
            right + 30.0,
            right + 38.0,
            right + 38.0,
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
