//! Lines in an SVG.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 32.0;
const COLOURS: [&str; 4] = ["#9aa0a6", "#d17b0f", "#8a5cd1", "#1a7f64"];

/// Curves from 0 to 1, whose first value belongs to `first` on the axis; a mark stands at `mark`.
pub fn lines(title: &str, curves: &[(&str, Vec<f64>)], first: usize, mark: usize) -> String {
    let (width, height) = (WIDTH - LEFT - 150.0, HEIGHT - TOP - 36.0);
    let longest = first + curves.iter().map(|(_, curve)| curve.len()).max().unwrap_or(1).max(2);
    let place = |at: usize| {
        LEFT + width * f64::from(u32::try_from(at).unwrap_or(0))
            / f64::from(u32::try_from(longest - 1).unwrap_or(1))
    };
    let level = |value: f64| TOP + height * (1.0 - value);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"{LEFT}\" y=\"18\">{title}</text>\n"
    );
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = level(tick);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e0e0e0\"/>",
            LEFT + width
        );
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    for tick in (0..=longest).step_by(100) {
        let (x, y) = (place(tick), TOP + height + 16.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{tick}</text>");
    }
    let x = place(mark);
    let _ = writeln!(
        svg,
        "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\" stroke=\"#b00020\" stroke-dasharray=\"4 3\"/>",
        TOP + height
    );
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">drift</text>", x + 4.0, TOP + 12.0);
    for (number, (name, curve)) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<String> = curve
            .iter()
            .enumerate()
            .map(|(at, value)| format!("{:.1},{:.1}", place(first + at), level(*value)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        );
        let y = TOP + 16.0 + 20.0 * f64::from(u32::try_from(number).unwrap_or(0));
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{name}</text>", LEFT + width + 10.0);
    }
    svg.push_str("</svg>\n");
    svg
}
