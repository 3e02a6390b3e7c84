//! Finds what is doubtful in the words of a lesson. A doubtful lesson waits for a person; it is not thrown away.

use std::sync::LazyLock;

use regex::Regex;

use crate::skillbook::Quarantine;

/// What words are doubtful, and why.
static PATTERNS: LazyLock<Vec<(Quarantine, Regex)>> = LazyLock::new(|| {
    let patterns: &[(Quarantine, &str)] = &[
        (
            Quarantine::Shell,
            r"(?i)\$\(|&&|\|\s*(ba|z|da)?sh\b|\b(curl|wget|sudo|nc|ncat|chmod|chown|mkfs|dd|scp|ssh|powershell|iex|eval)\s|\brm\s+-|\bbash\s+-c|\bpython3?\s+-c|base64\s+(-d|--decode)|/dev/tcp|crontab",
        ),
        (
            Quarantine::Url,
            r"(?i)\b(https?|ftp|wss?)://|\bwww\.[a-z0-9-]+\.|\b[a-z0-9-]+\.(com|net|io|org|ru|cn|xyz|top|sh|dev|app)/",
        ),
        (
            Quarantine::DisablesSafety,
            r"(?i)\b(disable|turn(ing)?\s+off|skip|bypass|ignore|circumvent|remove|without|suppress|never\s+ask|do\s*n[o']t\s+ask|auto-?approve)\b.{0,40}\b(sandbox|safety|safeguard|security|approvals?|permissions?|confirmation|confirm|verif\w+|guard\w*|checks?|firewall|ssl|tls|certificates?|antivirus|review|audit|logging)\b|--no-verify|--dangerously|--yolo|--insecure|--allow-all|--force\b|verify\s*=\s*false",
        ),
        (
            Quarantine::Exfiltration,
            r"(?i)\b(send|post|upload|forward|e?-?mail|share|copy|paste|publish|exfiltrate|leak|report|transmit|append|include)\b.{0,60}\b(tokens?|api[ _-]?keys?|keys?|passwords?|secrets?|credentials?|cookies?|\.env|environment\s+variables?|ssh|private|conversation|transcripts?|history|memory|contents?\s+of)\b.{0,60}(\bto\b|\bat\b|@|server|endpoint|webhook|external|address)",
        ),
        (
            Quarantine::Injection,
            r"(?i)\b(ignore|disregard|forget|override)\b.{0,30}\b(previous|prior|above|earlier|all|other|system)\b.{0,30}\b(instructions?|rules?|prompts?|messages?|guidelines?|skills?)\b|\byou\s+are\s+now\b|\bsystem\s+prompt\b|</?(system|assistant|user|instructions?)\b|\bdo\s+not\s+(tell|inform|mention|reveal)\b|\bwithout\s+(telling|informing|mentioning)\b|\b(highest|top|absolute)\s+priority\b|\bnew\s+instructions?\b|\bsecretly\b|\bsilently\b|\bjailbreak\b",
        ),
    ];
    patterns.iter().filter_map(|(doubt, pattern)| Some((*doubt, Regex::new(pattern).ok()?))).collect()
});

/// What is doubtful about a lesson with these words.
#[must_use]
pub fn doubts(content: &str) -> Vec<Quarantine> {
    PATTERNS.iter().filter(|(_, pattern)| pattern.is_match(content)).map(|(doubt, _)| *doubt).collect()
}
