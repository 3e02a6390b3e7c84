"""All cases, in the order of the page."""
import cases_hard
import cases_jobs
import cases_others
import cases_places
import cases_structure
import cases_text
from judge import Case


def all_cases() -> list[Case]:
    found = [*cases_text.cases(), *cases_places.cases(), *cases_structure.cases(), *cases_others.cases(), *cases_hard.cases(), *cases_jobs.cases()]
    names = [case.name for case in found]
    assert len(names) == len(set(names)), "two cases have one name"
    return found
