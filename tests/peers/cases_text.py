"""Cases of words in plain paragraphs, and of texts that are hard to find or to write."""
from case_tools import at, edited, refuse, replace
from documents import document, p, r
from judge import Case

G = "text"
BODY = [p("The Supplier shall deliver the goods within ten days."), p("The Buyer shall pay on receipt."), p("This is the last paragraph.")]


def cases() -> list[Case]:
    first = "The Supplier shall deliver the goods within ten days."
    looks = p("Pay ", r("promptly", "<w:b/>"), " and ", r("in full", "<w:i/>"), " without delay.")
    long_text = " ".join(f"Clause {n} applies to part {n}." for n in range(900))
    long_new = " ".join(f"annex {n}" for n in range(500))
    rtl = '<w:bidi/>'
    breaks = '<w:r><w:t xml:space="preserve">First line</w:t><w:br/><w:t xml:space="preserve">second line here</w:t></w:r>'
    return [
        edited("one word", G, "replace", BODY, [p("The Supplier shall deliver the goods within five days."), *BODY[1:]],
               replace("ten", "five", at(1, first)), one_word=True),
        edited("a word that runs split in three", G, "replace", [p("The sup", "pli", "er pays."), BODY[2]],
               [p("The vendor pays."), BODY[2]], replace("supplier", "vendor", at(1, "The supplier pays.")), one_word=True),
        edited("a bold word stays bold in a longer phrase", G, "replace; look of what stays", [looks, BODY[2]],
               [p("Settle ", r("promptly", "<w:b/>"), " and ", r("in full", "<w:i/>"), " without delay."), BODY[2]],
               replace("Pay promptly", "Settle promptly", at(1, "Pay promptly and in full without delay."))),
        edited("a bold word replaced by a bold one", G, "replace; look of the old word", [looks, BODY[2]],
               [p("Pay ", r("quickly", "<w:b/>"), " and ", r("in full", "<w:i/>"), " without delay."), BODY[2]],
               replace("promptly", "quickly", at(1, "Pay promptly and in full without delay.")), one_word=True),
        edited("a plain word beside bold and italic ones", G, "replace", [looks, BODY[2]],
               [p("Pay ", r("promptly", "<w:b/>"), " and ", r("in full", "<w:i/>"), " without excuse."), BODY[2]],
               replace("delay", "excuse", at(1, "Pay promptly and in full without delay.")), one_word=True),
        edited("three words of one paragraph", G, "several replacements in a paragraph", BODY,
               [p("The Vendor shall ship the goods within five days."), *BODY[1:]],
               replace("Supplier", "Vendor", at(1, first)), replace("deliver", "ship", at(1, first)), replace("ten", "five", at(1, first))),
        edited("every place when every place is asked for", G, "replace all", [p("Fees and Fees."), p("All Fees are net."), BODY[2]],
               [p("Charges and Charges."), p("All Charges are net."), BODY[2]], replace("Fees", "Charges", which="all")),
        edited("a word taken out", G, "replace by nothing", BODY, [p("The Supplier shall deliver goods within ten days."), *BODY[1:]],
               replace("the goods", "goods", at(1, first))),
        edited("a word put in", G, "replace", BODY, [p("The Supplier shall deliver all the goods within ten days."), *BODY[1:]],
               replace("deliver the", "deliver all the", at(1, first)), one_word=True),
        edited("ampersand, angle brackets and straight quotes", G, "replace", [p('R&D <draft> says "no".'), BODY[2]],
               [p('R&D <final> says "yes & no".'), BODY[2]], replace('<draft> says "no"', '<final> says "yes & no"', at(1, 'R&D <draft> says "no".'))),
        edited("curly quotes", G, "replace", [p("“Term” means three years."), BODY[2]], [p("“Period” means three years."), BODY[2]],
               replace("“Term”", "“Period”", at(1, "“Term” means three years."))),
        edited("an emoji", G, "replace", [p("Paid in 💶 only 👩‍⚖️."), BODY[2]], [p("Paid in 💷 only 👩‍⚖️."), BODY[2]],
               replace("💶", "💷", at(1, "Paid in 💶 only 👩‍⚖️."))),
        edited("a word in Hebrew, right to left", G, "replace", [p(r("הספק ישלם בתוך עשרה ימים", "<w:rtl/>"), look=rtl), BODY[2]],
               [p(r("הספק ישלם בתוך חמישה ימים", "<w:rtl/>"), look=rtl), BODY[2]],
               replace("עשרה", "חמישה", at(1, "הספק ישלם בתוך עשרה ימים")), one_word=True),
        edited("words in Chinese", G, "replace", [p("供应商应在十天内交货。"), BODY[2]], [p("供应商应在五天内交货。"), BODY[2]],
               replace("十天", "五天", at(1, "供应商应在十天内交货。"))),
        edited("a no-break space", G, "replace", [p("within 10\u00a0days of notice"), BODY[2]], [p("within 30\u00a0days of notice"), BODY[2]],
               replace("10\u00a0days", "30\u00a0days", at(1, "within 10\u00a0days of notice"))),
        edited("a word behind a tab", G, "replace; tab kept", [p("Name:", "<w:r><w:tab/></w:r>", "Smith"), BODY[2]],
               [p("Name:", "<w:r><w:tab/></w:r>", "Jones"), BODY[2]], replace("Smith", "Jones", at(1, "Name:\tSmith")), one_word=True),
        edited("a word behind a soft hyphen", G, "replace; soft hyphen kept", [p("co", "<w:r><w:softHyphen/></w:r>", "operate in full"), BODY[2]],
               [p("co", "<w:r><w:softHyphen/></w:r>", "operate in part"), BODY[2]], replace("full", "part", at(1, "co\u00adoperate in full")), one_word=True),
        edited("a word behind a line break of its run", G, "replace; line break kept", [p(breaks), BODY[2]],
               [p(breaks.replace("second", "other")), BODY[2]], replace("second", "other", at(1, "First line\nsecond line here")), one_word=True),
        edited("a word in 28,000 characters", G, "replace", [p(long_text), BODY[2]], [p(long_text.replace("part 777.", "section 777.")), BODY[2]],
               replace("part 777.", "section 777.", at(1, long_text)), one_word=True),
        edited("a word replaced by 4,900 characters", G, "replace", [p("See the schedule below."), BODY[2]], [p(f"See the {long_new} below."), BODY[2]],
               replace("schedule", long_new, at(1, "See the schedule below."))),
        edited("double spaces are kept", G, "replace", [p("Two  spaces  here, and a  word."), BODY[2]], [p("Two  spaces  here, and a  term."), BODY[2]],
               replace("word", "term", at(1, "Two  spaces  here, and a  word.")), one_word=True),
        Case("a document in the strict namespace", G, "strict namespace", document(*BODY, strict=True),
             [replace("ten", "five", at(1, first))], document(p("The Supplier shall deliver the goods within five days."), *BODY[1:], strict=True), one_word=True),
        refuse("three places fit, one is meant", G, "no guess", [p("Fees and Fees."), p("All Fees are net.")], replace("Fees", "Charges")),
        refuse("the text is nowhere", G, "no silent success", BODY, replace("The Lessor shall deliver", "The Lessor may deliver")),
        refuse("the text is there in other words", G, "no guess", BODY, replace("The Supplier must deliver the goods", "The Supplier may deliver the goods")),
    ]
