//! Places for the boxes: the way from the initial phase in columns, what ends badly or ends at all in a row beneath.

use super::{Graph, Role};

pub(super) const BOX_HEIGHT: f64 = 44.0;
const COLUMN_GAP: f64 = 76.0;
const ROW_GAP: f64 = 40.0;
const LANE_GAP: f64 = 84.0;
const MARGIN: f64 = 36.0;

/// Where one box is; `x` and `y` are its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) column: usize,
    pub(super) row: usize,
    /// In the row beneath.
    pub(super) beneath: bool,
}

pub(super) struct Layout {
    pub(super) places: Vec<Place>,
    pub(super) box_width: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) fn layout(graph: &Graph) -> Layout {
    let longest = graph
        .nodes
        .iter()
        .map(|node| node.name.chars().count())
        .max()
        .unwrap_or(0);
    let box_width = (longest as f64).mul_add(8.2, 34.0).max(96.0);
    let columns = columns(graph);
    let highest = arc_room(graph, &columns);
    let mut rows: Vec<usize> = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    for (node, column) in graph.nodes.iter().zip(&columns) {
        if rows.len() <= *column {
            rows.resize(column + 1, 0);
        }
        let beneath = is_beneath(node.role);
        let row = if beneath { 0 } else { rows[*column] };
        if !beneath {
            rows[*column] += 1;
        }
        places.push(Place {
            x: (*column as f64).mul_add(box_width + COLUMN_GAP, MARGIN + COLUMN_GAP / 2.0),
            y: (row as f64).mul_add(BOX_HEIGHT + ROW_GAP, MARGIN + highest),
            column: *column,
            row,
            beneath,
        });
    }
    let deepest = rows.iter().copied().max().unwrap_or(1).max(1);
    let lane =
        (deepest as f64).mul_add(BOX_HEIGHT + ROW_GAP, MARGIN + highest - ROW_GAP) + LANE_GAP;
    let widest = rows.len().max(2);
    let column_x = |column: f64| column.mul_add(box_width + COLUMN_GAP, MARGIN + COLUMN_GAP / 2.0);
    let mut has_lane = false;
    for (node, place) in graph
        .nodes
        .iter()
        .zip(&mut places)
        .filter(|(node, _)| is_beneath(node.role))
    {
        has_lane = true;
        let last = (widest - 1) as f64;
        place.x = column_x(if node.role == Role::Finalizer {
            last
        } else {
            (last - 1.0).max(0.0) / 2.0
        });
        place.y = lane;
    }
    let bottom = if has_lane {
        lane + BOX_HEIGHT
    } else {
        lane - LANE_GAP
    };
    Layout {
        places,
        box_width,
        width: column_x((widest - 1) as f64) + box_width + COLUMN_GAP / 2.0 + MARGIN,
        height: bottom + MARGIN,
    }
}

pub(super) fn is_beneath(role: Role) -> bool {
    matches!(role, Role::Failed | Role::Finalizer)
}

/// The column of each phase: the longest way to it along arrows that do not lead back.
fn columns(graph: &Graph) -> Vec<usize> {
    let order = first_visits(graph);
    let mut columns = vec![0; graph.nodes.len()];
    for &from in &order {
        for edge in forward(graph, from) {
            let ahead = position(&order, edge) > position(&order, from);
            if ahead {
                columns[edge] = columns[edge].max(columns[from] + 1);
            }
        }
    }
    columns
}

/// The phases in reverse order of completion, which is a topological order once the arrows back are left out.
fn first_visits(graph: &Graph) -> Vec<usize> {
    fn visit(graph: &Graph, node: usize, seen: &mut [bool], done: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[node], true) {
            return;
        }
        let mut targets: Vec<usize> = forward(graph, node).collect();
        targets.reverse();
        for to in targets {
            visit(graph, to, seen, done);
        }
        done.push(node);
    }
    let mut seen = vec![false; graph.nodes.len()];
    let mut done = Vec::new();
    let starts = graph
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.initial)
        .map(|(at, _)| at);
    for node in starts
        .chain(0..graph.nodes.len())
        .collect::<Vec<_>>()
        .into_iter()
    {
        if done.is_empty() || !seen[node] {
            let mut part = Vec::new();
            visit(graph, node, &mut seen, &mut part);
            part.reverse();
            done.extend(part);
        }
    }
    done
}

fn forward(graph: &Graph, from: usize) -> impl Iterator<Item = usize> {
    graph
        .edges
        .iter()
        .filter(move |edge| edge.from == from && edge.to != from)
        .filter(|edge| {
            let role = |at: usize| graph.nodes.get(at).map(|node| node.role);
            ![role(edge.from), role(edge.to)]
                .into_iter()
                .flatten()
                .any(is_beneath)
        })
        .map(|edge| edge.to)
}

fn position(order: &[usize], node: usize) -> usize {
    order
        .iter()
        .position(|at| *at == node)
        .unwrap_or(order.len())
}

/// How far above the boxes the arcs rise.
fn arc_room(graph: &Graph, columns: &[usize]) -> f64 {
    (0..graph.nodes.len())
        .flat_map(|from| forward(graph, from).map(move |to| (from, to)))
        .map(|(from, to)| rise(columns[from], columns[to]))
        .fold(0.0, f64::max)
}

/// How high the arc between two columns rises; none between a column and the next.
pub(super) fn rise(from: usize, to: usize) -> f64 {
    match to.cast_signed() - from.cast_signed() {
        0 | 1 => 0.0,
        span => (span.unsigned_abs() as f64).mul_add(14.0, 24.0),
    }
}
