"""Cases of words in other places than plain body paragraphs, and of words beside things that have to stay."""
from case_tools import at, edited, refuse, replace
from documents import (cell, comment, comments, commented, control, footnotes, p, picture, r, row, story, table, text_box)
from judge import Case

END = p("This is the last paragraph.")
LINK = '<w:hyperlink r:id="rIdLink">' + r("the terms") + "</w:hyperlink>"
FIELD = ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> REF _Ref1 \\h </w:instrText></w:r>'
         '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + r("4.2") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>')
SIMPLE = '<w:fldSimple w:instr=" PAGE ">' + r("3") + "</w:fldSimple>"
NOTE = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="1"/></w:r>'
OWN_MARK = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
SYMBOL = ('<w:r><mc:AlternateContent><mc:Choice Requires="w14"><w:sym w:font="Wingdings" w:char="F0FC"/></mc:Choice>'
          '<mc:Fallback><w:t>*</w:t></mc:Fallback></mc:AlternateContent></w:r>')
LOCK = '<w:lock w:val="sdtContentLocked"/>'


def bookmark(*inside: str) -> str:
    return f'<w:bookmarkStart w:id="3" w:name="Delivery"/>{"".join(inside)}<w:bookmarkEnd w:id="3"/>'


def places() -> list[Case]:
    g = "places"
    grid = [table(row("Item", "Price"), row("Steel beams", "net of tax")), END]
    inner = [table(row(cell(p("Outer"), table(row("Inner left", "Inner right")), p("")), "Right")), END]
    note = p(OWN_MARK, " The register of the seller.")
    body = [p("See the register", NOTE, " for more."), END]
    box = "The box holds a warning."
    header, footer = "Draft agreement of the parties", "Confidential until signing"
    return [
        edited("a table cell", g, "replace in a table", grid, [table(row("Item", "Price"), row("Copper beams", "net of tax")), END],
               replace("Steel", "Copper", at(3, "Steel beams")), one_word=True),
        edited("a nested table", g, "replace in a nested table", inner,
               [table(row(cell(p("Outer"), table(row("Inner port", "Inner right")), p("")), "Right")), END],
               replace("left", "port", at(2, "Inner left")), one_word=True),
        edited("a header", g, "replace in a header", [p("Body."), END], [p("Body."), END], replace("Draft", "Final", at(1, header, "header")),
               parts={"header1": story("hdr", p(header))}, parts_after={"header1": story("hdr", p("Final agreement of the parties"))}, one_word=True),
        edited("a footer", g, "replace in a footer", [p("Body."), END], [p("Body."), END], replace("signing", "closing", at(1, footer, "footer")),
               parts={"footer1": story("ftr", p(footer, SIMPLE))}, parts_after={"footer1": story("ftr", p("Confidential until closing", SIMPLE))}, one_word=True),
        edited("a footnote", g, "replace in a footnote", body, body, replace("seller", "buyer", at(1, " The register of the seller.", "footnote")),
               parts={"footnotes": footnotes(note)}, parts_after={"footnotes": footnotes(p(OWN_MARK, " The register of the buyer."))}, one_word=True),
        edited("a text box", g, "replace in a text box", [p("Around ", text_box(p(box)), "the box."), END],
               [p("Around ", text_box(p("The box holds a notice.")), "the box."), END], replace("warning", "notice", at(1, box, "textbox"))),
        edited("a paragraph around a text box", g, "replace; text box kept", [p("Around ", text_box(p(box)), "the frame."), END],
               [p("Around ", text_box(p(box)), "the border."), END], replace("frame", "border", at(1, "Around the frame.")), one_word=True),
    ]


def beside() -> list[Case]:
    g = "beside"
    notes = {"comments": comments(comment(0, "Is this agreed?"))}
    return [
        edited("a field", g, "replace; field kept", [p("Under clause ", FIELD, " the seller pays."), END],
               [p("Under clause ", FIELD, " the buyer pays."), END], replace("seller", "buyer", at(1, "Under clause 4.2 the seller pays.")), one_word=True),
        edited("a simple field", g, "replace; field kept", [p("Page ", SIMPLE, " of the draft."), END], [p("Page ", SIMPLE, " of the final."), END],
               replace("draft", "final", at(1, "Page 3 of the draft.")), one_word=True),
        edited("a bookmark", g, "replace; bookmark kept", [p("On ", bookmark(r("delivery")), " of goods the buyer pays."), END],
               [p("On ", bookmark(r("delivery")), " of goods the agent pays."), END],
               replace("buyer", "agent", at(1, "On delivery of goods the buyer pays.")), one_word=True),
        edited("within a bookmark", g, "replace; bookmark kept", [p("On ", bookmark(r("delivery of goods today")), " the buyer pays."), END],
               [p("On ", bookmark(r("delivery of parts today")), " the buyer pays."), END],
               replace("goods", "parts", at(1, "On delivery of goods today the buyer pays.")), one_word=True),
        edited("a commented phrase", g, "replace; comment kept", [p("Pay ", commented("thirty days", 0), " after receipt."), END],
               [p("Pay ", commented("thirty days", 0), " after delivery."), END],
               replace("receipt", "delivery", at(1, "Pay thirty days after receipt.")), parts=notes, one_word=True),
        edited("within a commented phrase", g, "replace; comment kept", [p("Pay ", commented("within thirty days net", 0), " after receipt."), END],
               [p("Pay ", commented("within sixty days net", 0), " after receipt."), END],
               replace("thirty", "sixty", at(1, "Pay within thirty days net after receipt.")), parts=notes, one_word=True),
        edited("a link", g, "replace; link kept", [p("Read ", LINK, " with care."), END], [p("Read ", LINK, " with patience."), END],
               replace("care", "patience", at(1, "Read the terms with care.")), one_word=True),
        edited("within a link", g, "replace in a link", [p("Read ", LINK, " with care."), END], [p("Read ", LINK.replace("terms", "rules"), " with care."), END],
               replace("terms", "rules", at(1, "Read the terms with care.")), one_word=True),
        edited("a picture", g, "replace; picture kept", [p("The mark ", picture(), " is registered."), END], [p("The mark ", picture(), " is pending."), END],
               replace("registered", "pending", at(1, "The mark  is registered.")), one_word=True),
        edited("a footnote mark", g, "replace; note kept", [p("See the register", NOTE, " for more."), END], [p("See the register", NOTE, " for details."), END],
               replace("more", "details", at(1, "See the register for more.")), parts={"footnotes": footnotes(p(OWN_MARK, " Kept by the seller."))}, one_word=True),
        edited("a symbol with alternate content", g, "replace; mc:AlternateContent kept", [p("Checked ", SYMBOL, " by the seller."), END],
               [p("Checked ", SYMBOL, " by the buyer."), END], replace("seller", "buyer", at(1, "Checked  by the seller.")), one_word=True),
        edited("a content control", g, "replace; control kept", [p("Seller: ", control(r("Harrow Ltd")), ", of Leeds."), END],
               [p("Seller: ", control(r("Harrow Ltd")), ", of York."), END], replace("Leeds", "York", at(1, "Seller: Harrow Ltd, of Leeds.")), one_word=True),
        edited("within a content control", g, "replace in a control", [p("Seller: ", control(r("Harrow Ltd")), ", of Leeds."), END],
               [p("Seller: ", control(r("Gate Ltd")), ", of Leeds."), END], replace("Harrow", "Gate", at(1, "Seller: Harrow Ltd, of Leeds.")), one_word=True),
        edited("within a content control around paragraphs", g, "replace in a control", [control(p("The whole clause stands here.")), END],
               [control(p("The whole article stands here.")), END], replace("clause", "article", at(1, "The whole clause stands here.")), one_word=True),
        refuse("within a locked content control", g, "respect for a lock", [p("Seller: ", control(r("Harrow Ltd"), LOCK), ", of Leeds."), END],
               replace("Harrow", "Gate", at(1, "Seller: Harrow Ltd, of Leeds."))),
        refuse("within a locked content control around paragraphs", g, "respect for a lock", [control(p("The whole clause stands here."), LOCK), END],
               replace("clause", "article", at(1, "The whole clause stands here."))),
    ]


def cases() -> list[Case]:
    return [*places(), *beside()]
