//! Finds what is doubtful in the words of a lesson, as they would be shown. A doubtful lesson waits for a person; it is not thrown away.
//!
//! Must never judge other text than what an agent would read: [`super::fold`] takes disguises off before.

use std::sync::LazyLock;

use regex::Regex;

use super::fold::{fold, is_hidden_text};
use super::neutral;
use crate::skillbook::Quarantine;

/// What words are doubtful, and why. Verbs and nouns of several languages; where a language puts the verb last, both orders.
const PATTERNS: &[(Quarantine, &str)] = &[
    (
        Quarantine::Shell,
        r"\$\(|&&|\|\s*(ba|z|da)?sh\b|\b(curl|wget|sudo|nc|ncat|chmod|chown|mkfs|dd|scp|ssh|telnet|powershell|iex|eval|certutil)\s|\brm\s+-|\bbash\s+-c|\bpython3?\s+-c|base64\s+(-d|--decode)|/dev/tcp|crontab|\bnohup\b|authorized_keys|\.bashrc\b",
    ),
    (
        Quarantine::Url,
        r"[a-z][a-z0-9+.-]{1,12}://|\bhxxps?\b|\bwww\.[a-z0-9-]+\.|\b[a-z0-9-]+\.(com|net|io|org|ru|cn|xyz|top|sh|dev|app)(/|:\d)|\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|net|io|org|ru|cn|xyz|top|info|biz|example|site|online|link|tk|cc|gg|cloud|page|onion)\b|\b\d{1,3}(\.\d{1,3}){3}\b|\bxn--|\bdot\s+(com|net|org|io|example|ru|xyz)\b|\S@\S+\.\S|!?\[[^\]]*\]\([^)]*\)|\bmailto:|\bwebhooks?\b|\bpastebin\b|\bngrok\b|\blocalhost:\d",
    ),
    (
        Quarantine::Package,
        r"\b(pip3?|pipx|npm|pnpm|yarn|bun|cargo|gem|brew|apt|apt-get|yum|dnf|conda|poetry|go|dotnet|composer|helm|docker|code)\s+(install|add|i|get|require|exec|dlx|pull|x)\b|\b(npx|uvx|bunx)\s|--(extra-)?index-url|--registry|\bregistr(y|ies)\b|\b(pypi|crates\.io|npmjs|rubygems|docker ?hub)\b|\binstall(s|ed|ing|ation)?\b|\b(mirror|dependenc(y|ies)|packages?|plug-?ins?)\b.{0,40}\b(from|instead|trust|switch|add|replace|internal)\b|\b(add|switch|replace|trust|use)\b.{0,40}\b(mirror|dependenc(y|ies)|packages?|plug-?ins?)\b|\binstall(ier|e[rz]?\b|a[rt]?\b|eer|iamo|are\b)|\binstala|\bzainstaluj|\byukle|安装|安裝|インストール|설치|установи|تثبيت|ثبت|इंस्टॉल",
    ),
    (
        Quarantine::Permission,
        r"\bpermissions?\b|\bprivileges?\b|\badmin(istrator)?\s+(rights?|access|mode)\b|\b(as|to)\s+root\b|\broot\s+(access|rights?)|\b0?777\b|\bworld-?(readable|writable)\b|\bgrant\b|\bsudoers?\b|\bberechtigung|\b(zugriffs|admin)rechte?\b|\bautorisation|\bpermisos?\b|\bpermess[oi]\b|\bpermissao|\bpermissoes|разрешени|права доступа|权限|權限|権限|권한|صلاحي|अनुमति",
    ),
    (
        Quarantine::Credential,
        r"\bpass(word|wort|phrase|code)s?\b|\bpasswd\b|\bpasswoerter\b|\bpasswort|\bcredentials?\b|\b(api|access|private|secret|ssh|signing|encryption)[ _-]?keys?\b|\bsecrets\b|\bsecret\s+(key|value|token)|\b(access|auth|bearer|session|refresh|api|github|id|security)[ _-]?tokens?\b|\btokens?\s+(of|for|from)\b|\bcookies?\b|\.env\b|\benvironment\s+variables?\b|\benv vars?\b|\bkeychain\b|\bid_rsa\b|\.netrc\b|\bzugangsdaten\b|\bkennwort|\b(schlussel|umgebungsvariablen)\b|\bmots? de passe\b|\bidentifiants\b|\bcles?\s+(api|privees?|secretes?)|\bcontrasenas?\b|\bcredenciales\b|\bclaves?\b|\bsenhas?\b|\bcredencia|\bchiavi\b|\bcredenziali\b|\bwachtwoord|\bsleutels?\b|\bhas(l|ł)[oa]\b|\bsifre|\bparola\b|парол|ключ[иейа]?\b|учетн|токен|密码|密碼|密钥|密鑰|凭证|パスワード|秘密鍵|認証情報|비밀번호|암호|인증|كلمة المرور|كلمات المرور|مفاتيح|المفتاح|पासवर्ड|कुंजी",
    ),
    (
        Quarantine::DisablesSafety,
        r"\b(disable|deactivate|turn(ing)?\s+off|switch(ing)?\s+off|skip|bypass|ignore|circumvent|remove|without|suppress|omit|never\s+ask|do\s*n[o']t\s+(ask|run|wait|bother)|no\s+need|drop|mute|auto-?approve|auto-?accept|silence)\b.{0,40}\b(sandbox|safety|safeguards?|security|approvals?|confirmations?|confirm|confirming|verif\w+|guard\w*|checks?|firewall|ssl|tls|certificates?|antivirus|review|audit|logging|warnings?|validation|linters?|tests|hooks?|signatures?|checksums?)\b|--no-verify|--dangerously|--yolo|--insecure|--allow-all|--force\b|--skip-|--no-check|verify\s*=\s*false|\bstrict_?host_?key_?checking\b|\btrust\b.{0,40}\b(mirrors?|hosts?|certificates?|servers?|downloads?|sources?|prox(y|ies)|all|any)\b|\baccept\b.{0,20}\b(all|any|unknown|self-signed)\b|\b(deaktivier|uberspring|umgeh|schalte?|ignorier|ohne|lass)\w*\b.{0,50}(prufung|sicherheit|sandbox|bestatigung|freigabe|ruckfrage|tests?\b|warnung|zertifikat)|\b(desactiv|contourn|saut|sans|ignor|omet)\w*\b.{0,50}(verification|securite|confirmation|approbation|controle|\btests?\b|avertissement)|\b(desactiv|omit|salt|sin|evit|ignor)\w*\b.{0,50}(verificacion|seguridad|confirmacion|aprobacion|comprobacion|pruebas|advertencia)|\b(disattiv|disabilit|salt|senza|ignor)\w*\b.{0,50}(verific|sicurezza|conferma|approvazion|controll|avvis)|\b(desativ|desabilit|pul|sem|ignor)\w*\b.{0,50}(verificac|seguranca|confirmac|aprovac|testes|aviso)|\b(schakel|sla|omzeil|zonder|negeer)\b.{0,50}(controle|beveiliging|bevestiging|goedkeuring|waarschuwing)|\b(wylacz|pomin|omin|bez)\b.{0,50}(sprawdz|bezpieczenst|potwierdz|weryfikac|test)|(отключ|пропус|обойд|обход|без\s).{0,50}(проверк|подтвержд|безопасн|песочниц|тест)|(关闭|关掉|禁用|跳过|绕过|忽略|不要).{0,20}(检查|验证|安全|确认|沙箱|审批|警告|测试)|(検証|確認|セキュリティ|チェック|承認|警告|テスト).{0,20}(無効|スキップ|省略|オフ|無視|せず|しない)|(검증|확인|보안|검사|승인|경고|테스트).{0,20}(비활성|건너|끄|무시|생략|하지)|(عطل|تعطيل|تخط|تجاوز|بدون).{0,40}(التحقق|الامان|الأمان|التأكيد|الفحص|الحماية)|\b(devre disi|atla|kapat)\w*|(बंद|छोड़).{0,30}(जांच|सुरक्षा|पुष्टि)|(जांच|सुरक्षा|पुष्टि).{0,30}(बंद|छोड़)",
    ),
    (
        Quarantine::Exfiltration,
        r"\b(send|post|upload|forward|e?-?mail|share|copy|paste|publish|exfiltrate|leak|report|transmit|append|include|print|dump|echo|reveal|list)\b.{0,60}\b(tokens?|keys?|secrets?|env|ssh|private|conversations?|transcripts?|history|memory|contents?\s+of|chat|prompts?|everything|all\s+files)\b.{0,60}(\bto\b|\bat\b|@|\bserver\b|\bendpoint\b|\bexternal\b|\baddress\b|\bunder\b|\binto\b|\bhost\b)",
    ),
    (
        Quarantine::Injection,
        r"\b(ignore|disregard|forget|override|neglect|discard)\b.{0,40}\b(previous|prior|above|earlier|all|other|system|preceding|existing|any|your|the)\b.{0,30}\b(instructions?|rules?|prompts?|messages?|guidelines?|skills?|directives?|polic(y|ies)|commands?|orders?|training)\b|\byou\s+are\s+(now|no longer)\b|\bsystem\s+(prompt|message|override)\b|</?(system|assistant|user|instructions?)\b|&lt;/?(system|assistant|user|instructions?)\b|\[/?(inst|system)\]|<\|im_|\bdo\s+not\s+(tell|inform|mention|reveal|show|notify)\b|\bwithout\s+(telling|informing|mentioning|asking|notifying)\b|\b(highest|top|absolute)\s+priority\b|\bnew\s+instructions?\b|\bsecretly\b|\bsilently\b|\bjailbreak\b|\bdan mode\b|\bdeveloper mode\b|\bobey\b|\b(always|only)\s+(follow|trust|execute|do)\b.{0,30}\b(instructions?|commands?|page|tool|document|comments?|says)\b|\b(follow|execute|carry out|comply with)\b.{0,30}\binstructions?\b.{0,30}\b(in|from|of|found)\b|\b(ignorier|vergiss|missacht|vergess|uberschreib)\w*\b.{0,50}(anweisung|regel|befehl|instruktion|vorgabe|prompt)|\b(ignor|oubli|neglig|fais abstraction)\w*\b.{0,50}(instruction|consigne|regle|directive|ordre)|\b(ignor|olvid|descart|omit)\w*\b.{0,50}(instruccion|regla|orden|indicacion)|\b(ignor|dimentic|trascur)\w*\b.{0,50}(istruzion|regol|ordin)|\b(ignor|esquec|desconsider)\w*\b.{0,50}(instruc|regra|ordens)|\b(negeer|vergeet)\b.{0,50}(instructie|regel|opdracht)|\b(zignoruj|zapomnij|pomin)\b.{0,50}(instrukcj|polece|zasad|regul)|(игнорир|забуд|отмен|не\s+обращай).{0,50}(инструкц|указан|правил|команд)|(忽略|无视|無視|忘记|忘記|不理会|忽視).{0,30}(指令|指示|规则|規則|说明|提示|命令)|(指示|命令|ルール|指令|プロンプト).{0,30}(無視|忘れ|従わ)|(지시|명령|규칙|지침|프롬프트).{0,20}(무시|잊|따르지)|(تجاهل|انس|تجاهلي|اهمل).{0,40}(التعليمات|الأوامر|الاوامر|القواعد|تعليمات)|\b(yok\s*say|gormezden|unut)\w*|\b(talimat|kural)\w*\b.{0,40}(yok\s*say|gormezden|unut)|(निर्देश|नियम|आदेश).{0,40}(अनदेखा|नजरअंदाज|भूल|उपेक्षा)|(अनदेखा|नजरअंदाज|भूल).{0,40}(निर्देश|नियम|आदेश)|(התעלם|התעלמי|שכח).{0,40}(הוראות|ההוראות|כללים)|(αγνοησ|αγνόησ|ξεχασ).{0,40}(οδηγι|εντολ|κανον)|(bo qua|phot lo).{0,40}(huong dan|chi dan|lenh)|\b(abaikan|lupakan)\b.{0,40}(instruksi|perintah|aturan)",
    ),
];

static COMPILED: LazyLock<Vec<(Quarantine, Regex)>> = LazyLock::new(|| {
    let compile =
        |(doubt, pattern): &(Quarantine, &str)| Some((*doubt, Regex::new(&format!("(?i){pattern}")).ok()?));
    PATTERNS.iter().filter_map(compile).collect()
});

/// What is doubtful about a lesson with these words.
#[must_use]
pub fn doubts(content: &str) -> Vec<Quarantine> {
    let readings = fold(&neutral(content));
    let mut doubts: Vec<Quarantine> = COMPILED
        .iter()
        .filter(|(_, pattern)| readings.iter().any(|reading| pattern.is_match(reading)))
        .map(|(doubt, _)| *doubt)
        .collect();
    if is_hidden_text(content) {
        doubts.push(Quarantine::Disguise);
    }
    doubts
}

#[cfg(test)]
pub(super) fn pattern_count() -> (usize, usize) {
    (COMPILED.len(), PATTERNS.len())
}
