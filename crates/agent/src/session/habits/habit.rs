//! What models do instead of what they are asked, in the ordinary ways.

/// A habit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Habit {
    Obeys,
    RepeatsNothing,
    RepeatsSixLines,
    RepeatsAll,
    RepeatsUnfinishedLine,
    RepeatsLastWord,
    BeginsWithLineEnd,
    EndsUnfinishedLine,
    SkipsToNextLine,
    ContinuingFrom,
    Apologises,
    Absolutely,
    German,
    French,
    Chinese,
    OpensWithoutColon,
    TwoSentences,
    EllipsisBefore,
    QuoteBefore,
    QuotedLines,
    CommentContinued,
    AllAnewOneBlank,
    AllAnewFenced,
    AllAnewCrlf,
    OtherIndentation,
    CurlyQuotes,
    Fenced,
    Thinks,
    RepeatsTwice,
    NumbersLines,
    ClosingWords,
    ForgetsEnd,
    ForgetsEndAndSaysDone,
    BoldDone,
    OnlyTheEnd,
    FirstUnderstood,
    FirstHereIsAndBye,
    FirstFenced,
    EmptyRound,
    LosesIndentation,
    OtherBlanks,
    LosesBracket,
    NumbersNewLines,
    WrapsInJson,
    FirstInElement,
    AsksWhetherToGoOn,
    SaysContinued,
    ContinuedHeading,
    ChineseNotice,
    RepeatsBehindTheSeam,
    EscapesMarkup,
    EscapesLineEnds,
    EndsWithToken,
    SaysEndOfFile,
    RenamesMidway,
    OutlineFirst,
    NumbersAll,
    RestartsNumbering,
    RepeatsHeading,
    RepeatsFirstLine,
    AnswersWithDiff,
    NumbersLikeReadFile,
    ZeroWidthBefore,
    IndentsDeeper,
    TranslatesHeading,
    ClosesFence,
    ClosesThought,
    ParagraphTwice,
    LeavesRest,
    CurlyQuotesBehind,
    GermanClosing,
    ChineseClosing,
    SecondFileBehind,
    ClosesElement,
    EndOfPart,
    FirstZeroWidth,
    FirstClosesThought,
    SaysTruncated,
    FirstInJsonText,
    FirstAsDiff,
    FirstNumbered,
}

impl Habit {
    pub(super) const ALL: [Self; 81] = [
        Self::Obeys,
        Self::RepeatsNothing,
        Self::RepeatsSixLines,
        Self::RepeatsAll,
        Self::RepeatsUnfinishedLine,
        Self::RepeatsLastWord,
        Self::BeginsWithLineEnd,
        Self::EndsUnfinishedLine,
        Self::SkipsToNextLine,
        Self::ContinuingFrom,
        Self::Apologises,
        Self::Absolutely,
        Self::German,
        Self::French,
        Self::Chinese,
        Self::OpensWithoutColon,
        Self::TwoSentences,
        Self::EllipsisBefore,
        Self::QuoteBefore,
        Self::QuotedLines,
        Self::CommentContinued,
        Self::AllAnewOneBlank,
        Self::AllAnewFenced,
        Self::AllAnewCrlf,
        Self::OtherIndentation,
        Self::CurlyQuotes,
        Self::Fenced,
        Self::Thinks,
        Self::RepeatsTwice,
        Self::NumbersLines,
        Self::ClosingWords,
        Self::ForgetsEnd,
        Self::ForgetsEndAndSaysDone,
        Self::BoldDone,
        Self::OnlyTheEnd,
        Self::FirstUnderstood,
        Self::FirstHereIsAndBye,
        Self::FirstFenced,
        Self::EmptyRound,
        Self::LosesIndentation,
        Self::OtherBlanks,
        Self::LosesBracket,
        Self::NumbersNewLines,
        Self::WrapsInJson,
        Self::FirstInElement,
        Self::AsksWhetherToGoOn,
        Self::SaysContinued,
        Self::ContinuedHeading,
        Self::ChineseNotice,
        Self::RepeatsBehindTheSeam,
        Self::EscapesMarkup,
        Self::EscapesLineEnds,
        Self::EndsWithToken,
        Self::SaysEndOfFile,
        Self::RenamesMidway,
        Self::OutlineFirst,
        Self::NumbersAll,
        Self::RestartsNumbering,
        Self::RepeatsHeading,
        Self::RepeatsFirstLine,
        Self::AnswersWithDiff,
        Self::NumbersLikeReadFile,
        Self::ZeroWidthBefore,
        Self::IndentsDeeper,
        Self::TranslatesHeading,
        Self::ClosesFence,
        Self::ClosesThought,
        Self::ParagraphTwice,
        Self::LeavesRest,
        Self::CurlyQuotesBehind,
        Self::GermanClosing,
        Self::ChineseClosing,
        Self::SecondFileBehind,
        Self::ClosesElement,
        Self::EndOfPart,
        Self::FirstZeroWidth,
        Self::FirstClosesThought,
        Self::SaysTruncated,
        Self::FirstInJsonText,
        Self::FirstAsDiff,
        Self::FirstNumbered,
    ];

    /// The file as the model writes it where it has the whole of it in another form.
    pub(super) fn written(self, file: &str) -> String {
        match self {
            Self::FirstInJsonText => serde_json::to_string(file).unwrap(),
            Self::FirstAsDiff => {
                let count = file.lines().count();
                let added: String = file.lines().map(|line| format!("+{line}\n")).collect();
                format!("--- /dev/null\n+++ b/file\n@@ -0,0 +1,{count} @@\n{added}")
            }
            Self::FirstNumbered => {
                let lines = file.lines().zip(1..);
                lines.map(|(line, number)| format!("{number:>6}\t{line}\n")).collect()
            }
            _ => file.to_owned(),
        }
    }

    /// Words before an exact repetition.
    fn opening(self) -> &'static str {
        match self {
            Self::ContinuingFrom => "Continuing from where I left off:\n\n",
            Self::Apologises => "I apologize for the interruption. Here is the rest of the file:\n\n",
            Self::Absolutely => "Absolutely! Here's the remainder:\n\n",
            Self::German => "Hier ist der Rest der Datei:\n\n",
            Self::French => "Bien sûr, voici la suite du fichier :\n\n",
            Self::Chinese => "以下是文件的剩余部分：\n\n",
            Self::OpensWithoutColon => "Sure, I will continue with the file\n",
            Self::TwoSentences => "The output was cut off.\nI go on behind the last line now.\n\n",
            Self::EllipsisBefore => "...",
            Self::QuoteBefore => "\u{201c}",
            Self::CommentContinued => "# ... continued\n",
            Self::Thinks => "<think>\nThe last line was cut.\n\nI have to repeat it.\n</think>\n\n",
            Self::ClosesThought => "The last line was cut, so I have to repeat it.\n</think>\n\n",
            Self::ZeroWidthBefore => "\u{200b}",
            Self::EndOfPart => "--- Part 2 ---\n\n",
            _ => "",
        }
    }

    /// How the first answer begins.
    pub(super) fn first_words(self) -> &'static str {
        match self {
            Self::FirstUnderstood => "Understood. I will now write the content.\n\n",
            Self::FirstHereIsAndBye => "Sure! Here is the file:\n\n",
            Self::FirstFenced => "```\n",
            Self::FirstInElement => "<file path=\"file\">\n",
            Self::OutlineFirst => "Outline:\n- The beginning\n- The parts\n- The end\n\n---\n\n",
            Self::FirstZeroWidth => "\u{200b}",
            Self::FirstClosesThought => "Now I write the whole file.\n</think>\n\n",
            _ => "",
        }
    }

    /// How the first answer ends, and whether by itself.
    pub(super) fn last_words(self) -> (&'static str, bool) {
        match self {
            Self::AsksWhetherToGoOn => ("\n\nWould you like me to continue with the rest of the file?", true),
            Self::SaysContinued => ("\n\n*(continued in the next message)*\n", false),
            Self::EndOfPart => ("\n\n--- End of part 1 ---\n", true),
            Self::SaysTruncated => ("\n[TRUNCATED]", false),
            _ => ("", false),
        }
    }

    /// The answer to a request to go on with `file`, of which the model believes to have written all before `seen`, and which
    /// it was asked to repeat from `anchor` on. `end` is the end line.
    pub(super) fn continuation(self, file: &str, anchor: usize, seen: usize, end: &str) -> String {
        let line = file[..seen].rfind('\n').map_or(0, |newline| newline + 1);
        // At the beginning of a line the last one is what is repeated.
        let line = if line == seen {
            file[..seen.saturating_sub(1)].rfind('\n').map_or(0, |at| at + 1)
        } else {
            line
        };
        let rest = |from: usize| format!("{}{end}\n", &file[from..]);
        let repeated = &file[anchor..seen];
        match self {
            Self::RepeatsNothing => rest(seen),
            Self::RepeatsSixLines => {
                let mut from = line;
                for _ in 0..6 {
                    from = file[..from.saturating_sub(1)].rfind('\n').map_or(0, |newline| newline + 1);
                }
                rest(from.min(anchor))
            }
            Self::RepeatsAll => rest(0),
            Self::RepeatsUnfinishedLine => rest(line),
            Self::RepeatsLastWord => {
                let word = file[..seen].trim_end().rfind(char::is_whitespace);
                rest(word.map_or(0, |blank| blank + 1))
            }
            Self::BeginsWithLineEnd => format!("\n{}", rest(line)),
            Self::EndsUnfinishedLine => format!("{repeated}\n{}", rest(seen)),
            Self::SkipsToNextLine => {
                rest(file[seen..].find('\n').map_or(file.len(), |newline| seen + newline + 1))
            }
            Self::QuotedLines => {
                format!("You asked me to begin with:\n```\n{repeated}\n```\n\n{}", rest(anchor))
            }
            Self::AllAnewOneBlank => {
                let at = file.find(' ').unwrap_or(0);
                format!("{} {}{end}\n", &file[..at], &file[at..])
            }
            Self::AllAnewFenced => format!("Here is the complete file:\n\n```\n{file}```\n{end}\n"),
            Self::AllAnewCrlf => rest(0).replace('\n', "\r\n"),
            Self::OtherIndentation => {
                let lines = repeated.split_inclusive('\n').map(|line| line.trim_start_matches([' ', '\t']));
                format!("{}{}", lines.collect::<String>(), rest(seen))
            }
            Self::CurlyQuotes => {
                format!("{}{}", repeated.replace('"', "\u{201d}").replace('\'', "\u{2019}"), rest(seen))
            }
            Self::Fenced => format!("```\n{}```\n{end}\n", &file[anchor..]),
            Self::RepeatsTwice => format!("{repeated}\n\n{}", rest(anchor)),
            Self::NumbersLines => {
                let first = file[..anchor].matches('\n').count() + 1;
                let numbered =
                    repeated.split('\n').zip(first..).map(|(line, number)| format!("{number}: {line}"));
                format!("{}{}", numbered.collect::<Vec<_>>().join("\n"), rest(seen))
            }
            Self::ClosingWords => {
                format!("{}\nLet me know if you need any changes!\n{end}\n", &file[anchor..])
            }
            Self::FirstHereIsAndBye => {
                format!("{}\nLet me know if you need any changes!\n{end}\n", &file[anchor..])
            }
            Self::FirstFenced => format!("{}```\n{end}\n", &file[anchor..]),
            Self::ForgetsEnd | Self::ForgetsEndAndSaysDone => file[anchor..].to_owned(),
            Self::BoldDone => format!("{}**DONE**\n", &file[anchor..]),
            Self::OnlyTheEnd => format!("{end}\n"),
            Self::EmptyRound => String::new(),
            Self::NumbersNewLines | Self::NumbersAll => {
                let from = if self == Self::NumbersAll {
                    anchor
                } else {
                    file[seen..].find('\n').map_or(file.len(), |newline| seen + newline + 1)
                };
                let first = file[..from].matches('\n').count() + 1;
                let lines = file[from..].lines().zip(first..);
                let numbered: String = lines.map(|(line, number)| format!("{number:4}: {line}\n")).collect();
                format!("{}{numbered}{end}\n", &file[anchor..from.max(anchor)])
            }
            Self::WrapsInJson => {
                let content = serde_json::json!({"content": &file[anchor..]});
                format!("{content}\n{end}\n")
            }
            Self::FirstInElement => format!("{}</file>\n{end}\n", &file[anchor..]),
            Self::ContinuedHeading | Self::ChineseNotice => {
                let new = file[seen..].find('\n').map_or(file.len(), |newline| seen + newline + 1);
                let notice = if self == Self::ChineseNotice { "（续）" } else { "## file (continued)" };
                format!("{}\n{notice}\n\n{}", &file[anchor..new], rest(new))
            }
            Self::RepeatsBehindTheSeam => {
                let new = file[seen..].find('\n').map_or(file.len(), |newline| seen + newline + 1);
                let mut from = line;
                for _ in 0..6 {
                    from = file[..from.saturating_sub(1)].rfind('\n').map_or(0, |newline| newline + 1);
                }
                format!("{}{}", &file[anchor..new], rest(from))
            }
            Self::EscapesMarkup => {
                let new = &file[seen..].replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                format!("{repeated}{new}{end}\n")
            }
            Self::EscapesLineEnds => format!("{}\n{end}\n", file[anchor..].replace('\n', "\\n")),
            Self::EndsWithToken => format!("{}<|im_end|>\n{end}\n", &file[anchor..]),
            Self::SaysEndOfFile => format!("{}--- END OF FILE ---\n{end}\n", &file[anchor..]),
            Self::GermanClosing | Self::ChineseClosing => {
                format!("{}\n{}\n{end}\n", &file[anchor..], self.farewell())
            }
            Self::ClosesFence => format!("{}```\n{end}\n", &file[anchor..]),
            Self::ClosesElement => format!("{}</content>\n{end}\n", &file[anchor..]),
            Self::SecondFileBehind => {
                format!("{}\n=== notes.txt ===\nThe notes on it.\nThere are two.\n{end}\n", &file[anchor..])
            }
            Self::AnswersWithDiff => {
                let line = file[..anchor].matches('\n').count() + 1;
                let known: String = repeated.lines().map(|line| format!(" {line}\n")).collect();
                let new: String = file[seen..].lines().map(|line| format!("+{line}\n")).collect();
                format!("```diff\n@@ -{line},2 +{line},40 @@\n{known}{new}```\n{end}\n")
            }
            Self::NumbersLikeReadFile => {
                let from = file[seen..].find('\n').map_or(file.len(), |newline| seen + newline + 1);
                let first = file[..from].matches('\n').count() + 1;
                let lines = file[from..].lines().zip(first..);
                let numbered: String = lines.map(|(line, number)| format!("{number:>6}\t{line}\n")).collect();
                format!("{}{numbered}{end}\n", &file[anchor..from.max(anchor)])
            }
            Self::RestartsNumbering
            | Self::RepeatsHeading
            | Self::RepeatsFirstLine
            | Self::IndentsDeeper
            | Self::TranslatesHeading
            | Self::ParagraphTwice
            | Self::LeavesRest
            | Self::CurlyQuotesBehind
            | Self::LosesIndentation
            | Self::OtherBlanks
            | Self::LosesBracket => {
                // The line that was cut is as it was; what follows is not.
                let new = file[seen..].find('\n').map_or(file.len(), |newline| seen + newline + 1);
                format!("{}{}{end}\n", &file[anchor..new], self.altered(&file[..new], &file[new..]))
            }
            _ => format!("{}{}", self.opening(), rest(anchor)),
        }
    }

    /// The rest of the file as it comes from a model that has lost its place in it.
    fn altered(self, before: &str, rest: &str) -> String {
        let mut lines: Vec<String> = rest.split_inclusive('\n').map(str::to_owned).collect();
        let heads = |line: &&str| {
            let marks =
                ["#", "<h2", "\\section", "def ", "function ", "export ", "fn ", "int ", "func ", "."];
            let is_numbered = line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(". ");
            marks.iter().any(|mark| line.starts_with(mark)) || is_numbered
        };
        let last_head = before.split_inclusive('\n').rfind(heads);
        match self {
            Self::RestartsNumbering => return renumbered(rest),
            Self::RepeatsHeading => lines.insert(0, last_head.unwrap_or_default().to_owned()),
            Self::RepeatsFirstLine => {
                lines.insert(0, before.split_inclusive('\n').next().unwrap_or_default().to_owned());
            }
            Self::IndentsDeeper => {
                let full = lines.iter_mut().filter(|line| !line.trim().is_empty());
                full.for_each(|line| line.insert_str(0, "    "));
            }
            Self::TranslatesHeading => {
                let is_head = |line: &&mut String| heads(&line.as_str());
                lines.iter_mut().filter(is_head).for_each(|line| *line = line.replace("Part", "Teil"));
            }
            Self::ParagraphTwice => {
                let begins = |line: &str| line.starts_with(char::is_uppercase) || line.starts_with("<p>");
                let is_said = |line: &&str| line.len() > 60 && begins(line) && !line.contains(['(', '{']);
                if let Some(said) = before.split_inclusive('\n').rfind(is_said) {
                    let other = said.replacen(" the ", " this ", 1).replacen(" of ", " in ", 1);
                    lines.splice(0..0, ["\n".to_owned(), other, "\n".to_owned()]);
                }
            }
            Self::LeavesRest => {
                // The first and the last of it, and a word for the rest.
                let mark = ["//", "#", "--", "%"][rest.len() % 4];
                let words = ["... rest unchanged ...", "... the rest stays as it is"][rest.len() % 2];
                if lines.len() > 4 {
                    lines.splice(1..lines.len() - 1, [format!("{mark} {words}\n")]);
                }
            }
            Self::CurlyQuotesBehind => {
                let curly = |line: &String| line.replace('"', "\u{201d}").replace('\'', "\u{2019}");
                lines.iter_mut().for_each(|line| *line = curly(line));
            }
            Self::LosesIndentation => {
                lines.iter_mut().for_each(|line| *line = line.trim_start_matches([' ', '\t']).to_owned());
            }
            Self::OtherBlanks => {
                let other = |line: &String| match line.strip_prefix('\t') {
                    Some(_) => line.replace('\t', "    "),
                    None => line.replace("    ", "\t").replace("  ", "\t"),
                };
                let is_indented = |line: &String| line.starts_with([' ', '\t']);
                lines.iter_mut().filter(|line| is_indented(line)).for_each(|line| *line = other(line));
            }
            _ => {
                let closes = |line: &String| {
                    let text = line.trim();
                    !text.is_empty() && text.chars().all(|letter| ")}];,".contains(letter))
                };
                if let Some(at) = lines.iter().position(closes) {
                    lines.remove(at);
                }
            }
        }
        lines.concat()
    }

    /// Whether what it changes means nothing in files of this kind.
    pub(super) fn only_restyles(self, kind: &str) -> bool {
        let is_shown = ["md", "txt", "csv"].contains(&kind);
        match self {
            Self::LosesIndentation | Self::OtherBlanks => !["py", "yaml"].contains(&kind),
            Self::IndentsDeeper => !["py", "yaml"].contains(&kind) && !is_shown,
            _ => false,
        }
    }

    /// The whole file, when it is asked for it.
    pub(super) fn whole(self, file: &str, end: &str) -> String {
        let behind = match self {
            Self::ClosingWords | Self::FirstHereIsAndBye => "\nLet me know if you need any changes!\n",
            Self::FirstFenced => "```\n",
            Self::FirstInElement => "</file>\n",
            Self::EndsWithToken => "<|im_end|>\n",
            Self::SaysEndOfFile => "--- END OF FILE ---\n",
            Self::GermanClosing | Self::ChineseClosing => {
                return format!("{file}\n{}\n{end}\n", self.farewell());
            }
            Self::ClosesFence => "```\n",
            Self::ClosesElement => "</content>\n",
            Self::SecondFileBehind => "\n=== notes.txt ===\nThe notes on it.\nThere are two.\n",
            Self::FirstInJsonText | Self::FirstAsDiff | Self::FirstNumbered => {
                return format!("{}\n{end}\n", self.written(file).trim_end_matches('\n'));
            }
            Self::BoldDone => return format!("{file}**DONE**\n"),
            _ => "",
        };
        format!("{}{file}{behind}{end}\n", self.first_words())
    }

    /// What it says to the person behind the file, in other languages than English.
    fn farewell(self) -> &'static str {
        match self {
            Self::GermanClosing => "Sag mir Bescheid, wenn du noch etwas geändert haben möchtest!",
            _ => "如果需要修改，请随时告诉我。",
        }
    }

    /// What it says when the whole file has come and the end was asked for.
    pub(super) fn at_the_end(self, end: &str) -> String {
        match self {
            Self::ForgetsEnd => format!("The file is complete.\n{end}\n"),
            Self::ForgetsEndAndSaysDone => "The file is complete.\nDONE\n".to_owned(),
            _ => "DONE\n".to_owned(),
        }
    }
}

/// The rest of a file whose numbered headings begin with 1 once more.
fn renumbered(rest: &str) -> String {
    let mut first = None;
    let mut lines = Vec::new();
    for line in rest.split_inclusive('\n') {
        let marks = ["## Part ", "\\section{Part ", ""];
        let of = |mark: &&str| {
            line.strip_prefix(*mark).filter(|own| own.starts_with(|c: char| c.is_ascii_digit()))
        };
        let Some((mark, own)) = marks.iter().find_map(|mark| Some((*mark, of(mark)?))) else {
            lines.push(line.to_owned());
            continue;
        };
        let digits = own.len() - own.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, words) = own.split_at(digits);
        match number.parse::<usize>() {
            Ok(number) if words.starts_with(": ") || words.starts_with(". ") => {
                let least = *first.get_or_insert(number);
                lines.push(format!("{mark}{}{words}", number - least + 1));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.concat()
}
