"""All cases, in the order of the page."""
import cases_text
from judge import Case


def all_cases() -> list[Case]:
    found = [*cases_text.cases()]
    names = [case.name for case in found]
    assert len(names) == len(set(names)), "two cases have one name"
    return found
