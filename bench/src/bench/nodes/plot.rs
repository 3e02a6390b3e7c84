//! Curves over a number of clients that doubles, as an SVG.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 150.0;
const BOTTOM: f64 = 48.0;
const COLOURS: [&str; 4] = ["#1a7f64", "#8a5cd1", "#d17b0f", "#9aa0a6"];

/// A curve: its name, and its values for the numbers of clients in their order.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
}

/// Draws `curves` from nought to the greatest value.
pub(super) fn draw(title: &str, unit: &str, clients: &[usize], curves: &[Curve]) -> String {
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let most = curves.iter().flat_map(|curve| &curve.values).copied().fold(0.0, f64::max);
    let step = step(most);
    let top = (most / step).ceil().max(1.0) * step;
    let place = |at: usize| LEFT + width * at as f64 / (clients.len().max(2) - 1) as f64;
    let level = |value: f64| TOP + height * (1.0 - value / top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"{LEFT}\" y=\"18\">{title}</text>\n\
         <text x=\"8\" y=\"{}\">{unit}</text>\n",
        TOP - 8.0
    );
    let mut tick = 0.0;
    while tick <= top + step / 2.0 {
        let y = level(tick);
        let (end, before) = (LEFT + width, LEFT - 6.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e0e0e0\"/>"
        );
        let _ = writeln!(svg, "<text x=\"{before}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>", y + 4.0);
        tick += step;
    }
    for (at, number) in clients.iter().enumerate() {
        let (x, y) = (place(at), TOP + height + 18.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{number}</text>");
    }
    let (middle, under) = (LEFT + width / 2.0, TOP + height + 36.0);
    let _ = writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{under:.1}\" text-anchor=\"middle\">clients at once</text>"
    );
    for (number, Curve { name, values }) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<String> = values
            .iter()
            .enumerate()
            .map(|(at, value)| format!("{:.1},{:.1}", place(at), level(*value)))
            .collect();
        let points = points.join(" ");
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{points}\"/>"
        );
        let (x, y) = (LEFT + width + 10.0, TOP + 16.0 + 20.0 * number as f64);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{name}</text>");
    }
    svg.push_str("</svg>\n");
    svg
}

/// The distance of the lines behind the curves: 1, 2 or 5 of some power of ten, so that there are at most six.
fn step(most: f64) -> f64 {
    let mut step = 1.0;
    for factor in [2.0, 2.5, 2.0].iter().cycle() {
        if most / step <= 6.0 {
            break;
        }
        step *= factor;
    }
    step
}
