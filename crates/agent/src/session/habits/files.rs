//! Files as models write them: seventeen kinds, made from a seed, each well-formed.

use std::fmt::Write as _;

/// The kinds, by their extension.
pub(super) const KINDS: [&str; 17] = [
    "py", "js", "ts", "java", "c", "go", "rs", "sh", "css", "html", "sql", "tex", "csv", "json", "yaml",
    "md", "txt",
];

/// Numbers from a seed (an xorshift), so that a run can be had again.
#[derive(Debug, Clone)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            numbers.below(2);
        }
        numbers
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const NAMES: [&str; 12] = [
    "order", "customer", "invoice", "payment", "address", "ledger", "report", "contract", "stock", "price",
    "market", "branch",
];
const VERBS: [&str; 8] = ["load", "check", "merge", "count", "store", "print", "close", "round"];
const SENTENCES: [&str; 8] = [
    "The second quarter brought more orders than the first, although prices rose.",
    "Nobody in the branch had expected the change, and it showed in the figures.",
    "Deliveries took three days on average; the slowest one took eleven.",
    "We recommend to keep the supplier until the end of the year.",
    "The contract ends in March unless one of the parties gives notice before.",
    "Costs for storage fell by a tenth after the move to the new building.",
    "It is too early to say whether the customers will stay.",
    "A list of open questions stands at the end of this part.",
];

/// A file of the kind `kind`.
pub(super) fn sample(kind: &str, seed: u64) -> String {
    let mut numbers = Numbers::new(seed ^ kind.bytes().fold(7, |hash, byte| hash * 31 + u64::from(byte)));
    let mut text = String::new();
    let parts = 7 + numbers.below(5);
    begin(kind, &mut text);
    for part in 0..parts {
        let name = format!("{}_{}_{part}", numbers.of(&VERBS), numbers.of(&NAMES));
        self::part(kind, &mut text, &name, part, &mut numbers);
    }
    finish(kind, &mut text);
    text
}

fn begin(kind: &str, text: &mut String) {
    text.push_str(match kind {
        "py" => "import os\nimport sys\n\nLIMIT = 400\n",
        "js" => "'use strict';\nconst limit = 400;\n",
        "ts" => "export const limit: number = 400;\n",
        "java" => "package shop;\n\npublic class Ledger {\n",
        "c" => "#include <stdio.h>\n#include <stdlib.h>\n\n#define LIMIT 400\n",
        "go" => "package shop\n\nconst limit = 400\n",
        "rs" => "//! Orders of the shop.\n\nconst LIMIT: u32 = 400;\n",
        "sh" => "#!/bin/sh\nset -eu\nLIMIT=400\n",
        "css" => ":root {\n  --limit: 400px;\n}\n",
        "html" => "<!DOCTYPE html>\n<html>\n<head>\n<title>Orders</title>\n</head>\n<body>\n",
        "sql" => "CREATE TABLE orders (id INTEGER, name TEXT, price INTEGER);\n",
        "tex" => "\\documentclass{article}\n\\begin{document}\n",
        "csv" => "id,name,amount,note\n",
        "json" => "{\n  \"limit\": 400,\n  \"orders\": [\n",
        "yaml" => "limit: 400\norders:\n",
        "md" => "# Report on the orders\n\nThis report was made by the branch.\n",
        _ => "Report on the orders\n====================\n",
    });
}

fn part(kind: &str, text: &mut String, name: &str, part: usize, numbers: &mut Numbers) {
    let (a, b) = (numbers.below(90) + 10, numbers.below(900) + 100);
    let (one, two) = (numbers.of(&SENTENCES), numbers.of(&SENTENCES));
    let written = match kind {
        "py" => write!(
            text,
            "\n\ndef {name}(items, limit=LIMIT):\n    \"\"\"{one}\"\"\"\n    total = {a}\n    for item in items:\n        if item > limit:\n            total += item * {b}\n        else:\n            total -= 1\n    return total\n"
        ),
        "js" => write!(
            text,
            "\nfunction {name}(items) {{\n  let total = {a};\n  for (const item of items) {{\n    if (item > limit) {{\n      total += item * {b};\n    }} else {{\n      total -= 1;\n    }}\n  }}\n  return `{name}: ${{total}}`;\n}}\n"
        ),
        "ts" => write!(
            text,
            "\nexport function {name}(items: number[]): number {{\n  let total: number = {a};\n  items.forEach((item) => {{\n    total += item > limit ? item * {b} : 1;\n  }});\n  return total;\n}}\n"
        ),
        "java" => write!(
            text,
            "\n    public int {name}(int[] items) {{\n        int total = {a};\n        for (int item : items) {{\n            if (item > 400) {{\n                total += item * {b};\n            }}\n        }}\n        return total;\n    }}\n"
        ),
        "c" => write!(
            text,
            "\nint {name}(const int *items, int count) {{\n    int total = {a};\n    for (int i = 0; i < count; i++) {{\n        if (items[i] > LIMIT) {{\n            total += items[i] * {b};\n        }}\n    }}\n    printf(\"{name} %d\\n\", total);\n    return total;\n}}\n"
        ),
        "go" => write!(
            text,
            "\nfunc {name}(items []int) int {{\n\ttotal := {a}\n\tfor _, item := range items {{\n\t\tif item > limit {{\n\t\t\ttotal += item * {b}\n\t\t}}\n\t}}\n\treturn total\n}}\n"
        ),
        "rs" => write!(
            text,
            "\n/// {one}\nfn {name}(items: &[u32]) -> u32 {{\n    let mut total = {a};\n    for item in items {{\n        if *item > LIMIT {{\n            total += item * {b};\n        }}\n    }}\n    total\n}}\n"
        ),
        "sh" => write!(
            text,
            "\n{name}() {{\n    total={a}\n    for item in \"$@\"; do\n        if [ \"$item\" -gt \"$LIMIT\" ]; then\n            total=$((total + item * {b}))\n        fi\n    done\n    echo \"{name} $total\"\n}}\n"
        ),
        "css" => write!(
            text,
            "\n.{name} {{\n  margin: {a}px;\n  width: calc(100% - {b}px);\n}}\n\n.{name}:hover > a {{\n  color: #ab{a}cd;\n}}\n"
        ),
        "html" => write!(
            text,
            "<h2 id=\"{name}\">Part {part}</h2>\n<p>{one}</p>\n<ul>\n  <li>{a} orders</li>\n  <li>{b} customers</li>\n</ul>\n<p>{two}</p>\n"
        ),
        "sql" => write!(
            text,
            "INSERT INTO orders (id, name, price) VALUES ({part}, '{name}', {b});\nINSERT INTO orders (id, name, price) VALUES ({a}{part}, '{name}', {a});\nUPDATE orders SET price = {b} WHERE id = {part};\n"
        ),
        "tex" => write!(
            text,
            "\n\\section{{Part {part}: {}}}\n{one}\n{two}\n\\begin{{itemize}}\n  \\item {a} orders\n  \\item {b} customers\n\\end{{itemize}}\n",
            name.replace('_', " ")
        ),
        "csv" => write!(
            text,
            "{part},{name},{a}.50,\"{one}\"\n{part}1,{name},{b}.00,none\n0,unknown,0.00,none\n0,unknown,0.00,none\n0,unknown,0.00,none\n"
        ),
        "json" => write!(
            text,
            "    {{\n      \"id\": {part},\n      \"name\": \"{name}\",\n      \"amounts\": [{a}, {b}],\n      \"note\": \"{one}\"\n    }},\n"
        ),
        "yaml" => write!(
            text,
            "  - id: {part}\n    name: {name}\n    amounts:\n      - {a}\n      - {b}\n    note: \"{one}\"\n"
        ),
        "md" => write!(
            text,
            "\n## Part {part}: {}\n\n{one} {two}\n\n* {a} orders\n* {b} customers\n\n| kind | count |\n| --- | --- |\n| open | {a} |\n| closed | {b} |\n\n```sh\n{name} --limit {a}\n```\n\nSo much for part {part}.\n",
            name.replace('_', " ")
        ),
        _ => write!(
            text,
            "\n{part}. {}\n\n{one} {two}\n{a} orders came from \"old\" customers,\nand {b} from new ones.\n",
            name.replace('_', " ")
        ),
    };
    written.unwrap();
}

fn finish(kind: &str, text: &mut String) {
    text.push_str(match kind {
        "java" => "}\n",
        "html" => "</body>\n</html>\n",
        "tex" => "\n\\end{document}\n",
        "json" => "    {\"id\": 99, \"name\": \"last\", \"amounts\": [], \"note\": \"\"}\n  ]\n}\n",
        "md" | "txt" => "\nThe figures were read on the last day of June.\n",
        _ => "",
    });
}
