//! Tells words that nobody can act on: praise, a report of what happened, advice that fits everything.
//!
//! Only for what a model writes down: what a person wants is never too vague.

use std::sync::LazyLock;

use regex::Regex;

static VAGUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        # praise
        ^\W*(great|good|excellent|nice|amazing|perfect|outstanding|fantastic|wonderful|impressive|brilliant)\b.{0,40}\b(job|work|session|effort|result|performance|collaboration)\b
        |\b(well\ done|good\ job|great\ job|nice\ work|great\ work|keep\ up\ the|keep\ it\ up)\b
        # a report
        |^\W*(the|this|our|your)\s+(ai\s+)?(agent|assistant|model|session|conversation|interaction|task|user)\b.{0,40}
            \b(was|were|did|does|has|had|is|performed|handled|completed|succeeded|worked|went|showed|demonstrated|answered|responded|helped|excelled)\b
        |^\W*(everything|all|nothing)\b.{0,20}\b(went|worked|was|is)\b
        # advice that fits everything
        |^\W*(always\s+|please\s+|try\s+to\s+|remember\s+to\s+)?(be|stay|remain)\s+(very\s+|more\s+|as\s+)?(careful|helpful|thorough|accurate|diligent|attentive|cautious|mindful|smart|good|better)\b.{0,30}$
        |^\W*(always\s+)?(think|work|act|proceed)\s+(more\s+)?(carefully|harder|thoroughly|step\ by\ step|efficiently|better)\W*$
        |^\W*(always\s+)?(double-?\s?check|check|verify|review)\s+(everything|(your|the|all)\s+(work|answers?|results?|outputs?))\W*$
        |^\W*(always\s+)?(do|try)\s+(it\s+)?(better|your\ best|harder|well)\b
        |^\W*(always\s+)?(follow|use|apply)\s+(the\s+)?best\ practi[cs]es?\W*$
        |^\W*(continue|keep)\s+(to\s+)?(doing|do|being|be|working|providing|provide)\b.{0,40}\b(well|good|great|helpful|same|excellent)\b",
    )
    .ok()
});

/// Whether nobody can act on a lesson.
pub(crate) fn is_vague(content: &str) -> bool {
    VAGUE.as_ref().is_some_and(|vague| vague.is_match(content.trim()))
}
