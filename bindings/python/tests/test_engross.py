"""The engine in Python: what a person with a document of their own does, and what goes wrong."""

import hashlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

import engross

NDA = Path(__file__).resolve().parents[3] / "examples/nda.docx"
DATE = "2026-01-31T09:30:00Z"
LONGER = {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}


class Documents(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def edited(self) -> engross.Document:
        document = engross.open(NDA)
        [result] = document.apply(LONGER, author="Ada", date=DATE)
        self.assertEqual(result["status"], "applied", result)
        return document

    def test_a_redline_can_be_rejected_and_accepted(self) -> None:
        document = self.edited()
        before = engross.open(NDA)
        own = [revision["id"] for revision in document.revisions() if revision["author"] == "Ada"]
        self.assertGreater(len(own), 1)
        redline = document.save(self.folder / "redline.docx")
        again = engross.open(redline)
        texts = lambda of, view: [paragraph["text"] for paragraph in of.read(view=view)["paragraphs"]]
        self.assertIn("five (5) years", " ".join(texts(again, "accepted")))
        again.resolve("reject", author="Ada")
        self.assertEqual(texts(again, "markup"), texts(before, "markup"))
        other = engross.open(redline.read_bytes())
        other.resolve("accept", ids=[revision["id"] for revision in other.revisions() if revision["author"] == "Ada"])
        self.assertEqual(other.revisions(), before.revisions(), "others' changes stay")

    def test_what_is_refused_says_why_and_costs_only_itself(self) -> None:
        document = engross.open(NDA)
        results = document.apply([{"op": "delete_paragraph", "paragraphIndex": 999}, LONGER], author="Ada", date=DATE)
        self.assertEqual([result["status"] for result in results], ["refused", "applied"])
        self.assertEqual(results[0]["code"], "TARGET_NOT_FOUND")
        atomic = engross.open(NDA)
        atomic.apply([LONGER, {"op": "delete_paragraph", "paragraphIndex": 999}], date=DATE, atomic=True)
        self.assertEqual(atomic.revision, engross.open(NDA).revision)

    def test_errors_have_a_code(self) -> None:
        with self.assertRaises(engross.EngrossError) as raised:
            engross.open(b"%PDF-1.7")
        self.assertEqual(raised.exception.code, "NOT_A_ZIP")
        document = engross.open(NDA)
        for call in (
            lambda: document.apply([{"op": "juggle"}]),
            lambda: document.apply("no operations"),  # type: ignore[arg-type]
            lambda: document.resolve("ignore"),
            lambda: document.resolve("accept", ids=["no such"]),
            lambda: document.read(story="footnote:77"),
            lambda: document.apply(LONGER, expected_revision="another"),
        ):
            with self.assertRaises(engross.EngrossError):
                call()
        with self.assertRaises(FileNotFoundError):
            engross.open(self.folder / "nowhere.docx")

    def test_a_file_that_is_there_is_replaced_only_on_request(self) -> None:
        path = self.folder / "mine.docx"
        path.write_bytes(NDA.read_bytes())
        path.chmod(0o640)
        document = self.edited()
        with self.assertRaises(FileExistsError):
            document.save(path)
        self.assertEqual(path.read_bytes(), NDA.read_bytes())
        document.save(path, overwrite=True)
        self.assertEqual(path.read_bytes(), document.to_bytes())
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["mine.docx"], "nothing is left beside it")

    def test_dates_are_given_in_any_zone_and_bytes_follow_from_them(self) -> None:
        one = self.edited().to_bytes()
        moment = datetime(2026, 1, 31, 9, 30, tzinfo=timezone.utc).astimezone()
        document = engross.open(NDA)
        document.apply([LONGER], author="Ada", date=moment)
        self.assertEqual(hashlib.sha256(one).digest(), hashlib.sha256(document.to_bytes()).digest())

    def test_a_comparison_is_a_redline_of_two_documents(self) -> None:
        after = engross.open(NDA)
        after.resolve("accept")
        after.apply(LONGER, date=DATE)
        after.resolve("accept")
        made = engross.compare(NDA, after.to_bytes(), author="Ada", date=DATE, granularity="sentence")
        self.assertGreater(len(made.report["changes"]), 0)
        redline = engross.open(made.save(self.folder / "compared.docx"))
        redline.resolve("accept")
        self.assertIn("five (5) years", redline.to_markdown())

    def test_reading_searching_checking_showing(self) -> None:
        document = engross.open(NDA)
        found = document.read(search="thirty (30)")["paragraphs"]
        self.assertEqual([paragraph["address"] for paragraph in found], ["P51"])
        page = document.read(limit=5)
        self.assertEqual(len(page["paragraphs"]), 5)
        self.assertEqual(document.read(start=page["cursor"], limit=1)["paragraphs"][0]["address"], "P6")
        self.assertEqual([finding for finding in document.check() if finding["severity"] == "error"], [])
        self.assertGreater(len(document.comments()), 0)
        self.assertIn("<html", document.to_html(title="NDA"))
        self.assertNotIn("<script", document.to_html())
        self.assertEqual(engross.from_markdown("# One\n\nTwo.").read()["total"], 2)

    def test_other_threads_run_while_the_engine_works(self) -> None:
        text = "\n\n".join(f"Paragraph {number} of a long document." for number in range(200))
        counted = 0
        over = threading.Event()

        def count() -> None:
            nonlocal counted
            while not over.is_set():
                counted += 1
                time.sleep(0)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            # However busy the machine is, the other thread gets its turn while the engine works.
            for _ in range(200):
                before = counted
                engross.from_markdown(text).to_bytes()
                if counted > before + 1:
                    break
            else:
                self.fail("the engine let nobody else run")
        finally:
            over.set()
            thread.join()

    def test_a_copy_is_apart(self) -> None:
        document = engross.open(NDA)
        copy = document.copy()
        copy.apply(LONGER, date=DATE)
        self.assertNotEqual(copy.revision, document.revision)
        self.assertEqual(document.revision, engross.open(NDA).revision)

    def test_nothing_but_the_standard_library_is_imported(self) -> None:
        script = "import sys, engross; print(sorted({n.split('.')[0] for n in sys.modules} - set(sys.stdlib_module_names)))"
        said = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.strip(), "['__main__', 'engross']")


if __name__ == "__main__":
    unittest.main()
