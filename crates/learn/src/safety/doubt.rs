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
    // What is hidden from people, or told them although it is not so.
    (
        Quarantine::Injection,
        r"\b(never|not|don'?t|do not|no one|nobody|without)\b.{0,20}\b(tell|telling|mention|report|reporting|say|inform|informing|show|admit|disclose|log|alert)\b.{0,40}\b(users?|customers?|clients?|owners?|anyone|anybody|persons?|people|reviewers?|managers?|them|failures?|rule)\b|\b(never|not|don'?t)\b.{0,10}\b(report|log|show|mention)\b.{0,10}\berrors?\b|\b(report|claim|pretend|say|state|mark|declare)\b.{0,30}\b(success|passed|green|done|fixed|works?)\b.{0,40}\b(even if|although|despite|regardless|anyway|whatever)\b|\b(hide|conceal)\b.{0,40}\b(from|errors?|failures?|problems?|mistakes?|this)\b|\b(cover up|keep quiet about|lie about)\b|\b(verschweig|verheimlich|verberg)\w*|\bsag\w*\b.{0,30}\bnichts\b|\b(cache[rz]?|dissimul\w*|tais)\b.{0,10}\b(les|des|aux?|le|la)\b.{0,20}\b(erreurs?|utilisateurs?|clients?)|\bne\b.{0,20}\b(dis|dites|mentionne\w*|parle\w*)\b.{0,20}\bpas\b|\b(ocult\w*|escond\w*)\b|\bno\b.{0,20}\b(digas|menciones|informes)\b|\b(nascond\w*|occult\w*)\b|\bnon\b.{0,20}\b(dire|menzionare|informare)\b|(не\s+(говори|сообщай|упоминай)|скрывай|скрой|умалчив)|(不要|别|勿).{0,8}(告诉|提及|说出|报告)|隐瞒|隱瞞|(知らせ|伝え|言わ|報告し)ない|隠す|隠し|(말하지|알리지|숨기|숨겨)|(لا\s+تخبر|لا\s+تذكر|أخف|اخف)|(मत\s+बता|छिपा)",
    ),
    // Words of pages, tools and files taken for orders.
    (
        Quarantine::Injection,
        r"\b(treat|take|regard|accept|consider|read)\b.{0,60}\b(as|for|like)\b.{0,20}\b(instructions?|orders?|commands?|directives?)\b|\b(follow|obey|heed|do|execute|believe)\b.{0,20}\b(what|whatever|everything|all)\b.{0,60}\b(says?|said|tells?|told|asks?|wants?|orders?|demands?)\b|\bbefore what (the )?users?\b|\b(over|above|instead of|rather than)\b.{0,20}\b(the )?users?\b.{0,20}\b(says?|wants?|words|wishes)\b|\b(befolg|gehorch)\w*\b.{0,40}\b(seite|datei|werkzeug|text)|\bobe(is|dec)\w*\b",
    ),
    // Copies of what was said or done, sent elsewhere.
    (
        Quarantine::Exfiltration,
        r"\b(send|forward|upload|post|push|e?-?mail|publish|submit|share|ship|sync|mirror|transmit|attach|copy)\b.{0,40}\b(cop(y|ies)|duplicates?|transcripts?|logs?|protocols?|conversations?|answers?|replies|reports?|everything)\b.{0,60}\b(to|at|into|with|via)\b.{0,40}\b(mirror|mailbox|inbox|address|server|remote|bucket|channel|endpoint|third part(y|ies)|external|outside|audit|support|attacker|collector|drop)|\b(also|additionally) (push|send|upload|post|forward)\b.{0,60}\b(to|at|into)\b|\b(schick\w*|sende[nt]?|ubertrag\w*|lade[nt]?)\b.{0,60}\b(an|auf|nach|zu)\b.{0,30}\b(adresse|server|postfach|dienst|anhang|externe\w*)|\b(envo|transmet|transfer)\w*\b.{0,60}\b(serveur|adresse|boite|externe)|\b(envi(a|e|o|ar|en)\w{0,3}|reenvi\w*|sube|subir)\b.{0,60}\b(servidor|direccion|soporte|extern\w*|endereco|suporte)|\b(invia\w*|carica\w*|inoltra\w*)\b.{0,60}\b(server|indirizzo|estern\w*)|(отправ|пересыл|загруж|выгруж|переда).{0,60}(сервер|адрес|почт|внешн|поддержк)|(发送|上传|转发|發送|上傳|轉發).{0,20}(到|给|至|給)|(サーバ|外部|アドレス|宛).{0,20}(送信|送る|転送|アップロード)|(서버|외부|주소).{0,20}(전송|보내|업로드)|(أرسل|ارسل|ارفع).{0,60}(إلى|الى)|(सर्वर|बाहरी|पते).{0,30}(भेज|अपलोड)|\b(wyslij|przeslij)\b.{0,60}\b(serwer|adres|zewnetrzn)\w*|\b(stuur|verzend)\b.{0,60}\b(server|adres|extern\w*)|\b(gonder|yukle)\w*\b.{0,40}|(переменн\w*\s+(сред|окруж))|环境变量|環境変数|環境變數|환경\s*변수|متغيرات\s+البيئة|\bvariables? (d'environnement|de entorno|de ambiente)|\bvariaveis de ambiente|\bvariabili d'ambiente",
    ),
    // What cannot be taken back.
    (
        Quarantine::DisablesSafety,
        r"\b(delete|erase|wipe|purge|truncate|destroy|clear|clean|remove|shred|scrub)\b.{0,40}\b(logs?|audit|histor(y|ies)|backups?|databases?|production|traces?|evidence|volumes?|snapshots?)\b|\bdrop\b.{0,20}\b(tables?|databases?|schemas?)\b|\b(rewrite|rewriting|amend|force-?push|overwrite|alter)\b.{0,30}\b(git )?(histor(y|ies)|main|master|logs?)\b|\bforce-?push\w*\b|\b(losch|lösch|vernicht)\w*\b.{0,40}(protokoll|log|verlauf|sicherung)|\b(supprim|effac)\w*\b.{0,40}(journa|log|historique|sauvegarde)|\b(borr|elimin|apag)\w*\b.{0,40}(registro|log|historial|copia|historico)|\b(cancell|elimin)\w*\b.{0,40}(registr|log|cronologia)|(удал|сотри|очист).{0,40}(журнал|лог|истори|резервн)|(删除|清除|抹除|刪除).{0,20}(日志|日誌|记录|記錄|历史|备份)|(ログ|履歴|記録|バックアップ).{0,15}(削除|消去|消す)|(로그|기록|백업).{0,15}(삭제|지우)|(احذف|امسح).{0,40}(السجل|سجلات|النسخ)",
    ),
    // A check turned off in other orders of words, other names of checks, and these names in other languages.
    (
        Quarantine::DisablesSafety,
        r"\b(turn|switch|shut)\w*\s+.{1,50}\boff\b|\b(comment|take|strip|cut|leave|rip)\w*\s+(out|off|away)\b.{0,40}\b(auth\w*|log-?in|middleware|checks?|assert\w*|tests?|guards?|validation|encryption|signatures?)\b|\b(disable|deactivate|skip|bypass|ignore|omit|drop|remove|weaken|relax|loosen|lower)\b.{0,40}\b(test suites?|suites?|auth\w*|encryption|2fa|mfa|captcha|rate limits?|linter|lint|ci|pipelines?|gates?|policies|policy|protection|cors|csp|csrf)\b|\b(firewall|antivirus|certifica[td]\w*|zertifikat\w*|sertifika\w*)\b.{0,40}\b(abschalt|ausschalt|desativ|desabilit|desactiv|disattiv|disabilit|uitschakel|kapat)|\b(desabilit|desativ|desactiv|disattiv|disabilit|deactiv|desativ|schakel|wylacz|kapat|deaktivier|schalte?)\w*\b.{0,50}\b(firewall|antivirus|certific\w*|zertifik\w*|sertifika\w*|certyfikat\w*|firm\w*|assinatur\w*|signatur\w*|pare-feu|cortafuegos|schutz\w*)|(отключ|выключ|игнор).{0,50}(сертификат|подпис|защит|брандмауэр|аутентиф)|(关闭|关掉|禁用|跳过|绕过|忽略).{0,20}(证书|签名|防火墙|认证|保护|加密)|(証明書|署名|ファイアウォール|認証|暗号化).{0,20}(無効|スキップ|省略|オフ|無視)|(인증서|서명|방화벽|인증|암호화).{0,20}(비활성|건너|끄|무시|생략)|(عطل|عطّل|تعطيل|أوقف).{0,40}(الشهاد|التوقيع|الجدار|المصادقة|التشفير)|(प्रमाणपत्र|सत्यापन|फ़ायरवॉल|हस्ताक्षर|सुरक्षा).{0,30}(बंद|छोड़|अक्षम)|(बंद|अक्षम).{0,30}(प्रमाणपत्र|सत्यापन|फ़ायरवॉल)|\beven if\b.{0,30}\b(tests?|checks?|builds?|hooks?)\b.{0,20}\bfail|\bself-?signed\b",
    ),
    // Who may do what, and what comes from where.
    (
        Quarantine::Permission,
        r"\b(admin(istrator)?s?|sudo|wheel|root|owners?|maintainers?|docker)\s+(group|role|team|account)\b|\bto the (admin\w*|owner\w*)\b|\b(write|full|read|public|open|unrestricted|elevated)\s+access\b|\bumask\b|\bsetuid\b|\b(anyone|everyone|everybody|guests?|anonymous)\b.{0,30}\b(access|write|read|edit|admin\w*|group)\b|\b(always )?(as|als|en tant que|como|come|jako|olarak)\s+(root|admin\w*|administra\w*)\b|(от\s+имени|как)\s+(root|админ|суперпольз)|(以|用).{0,4}(root|管理员|管理員)|(root|管理者).{0,4}(として|で実行)|(root|관리자).{0,4}(로|권한)|\bpublic(ly)?\s+(bucket|readable|writable)\b|\bmake\b.{0,30}\bpublic\b",
    ),
    (
        Quarantine::Package,
        r"\b(package|artifact|container|image)\s+(index|manager|registry|repositor(y|ies)|feed)\b|\b(fetch|download|get|pull|load|run|execute)\b.{0,40}\b(newest|latest|helper|binary|binaries|scripts?|installer|executable|update)\b.{0,40}\b(from|off|at)\b.{0,30}\b(index|web|internet|net|site|mirror|server|page|link|gist|repo\w*)\b",
    ),
    // Doors left open, and what is done without those whom it concerns.
    (
        Quarantine::DisablesSafety,
        r"\bopen\w*\b.{0,20}\bports?\b|\bports?\b.{0,40}\b(internet|everyone|public|0\.0\.0\.0)\b|\bto the (internet|public)\b|\bpublic(ly)?\s+(gists?|folders?|repo\w*|shares?|links?)\b|\bhttp\b.{0,20}\b(instead of|rather than|not)\b.{0,10}\bhttps\b|\ball(ow)?\b.{0,20}\b(any|all|every|\*)\b.{0,20}\b(origins?|hosts?|ips?|users?)\b|\bverify\b.{0,10}\b(false|off|no)\b|\bany host key\b|\bauto-?(approve|accept|confirm|merge)\w*\b|\banswer\w*\b.{0,10}\byes\b|\b(straight|directly) (to|into|onto) (main|master|production|trunk)\b|\b(merge|push|deploy|release)\w*\b.{0,30}\b(without|skip\w*)\b|\bleave\b.{0,40}\bout\b.{0,20}\b(of|from)\b|\bformat\b.{0,10}\b(the )?(disk|drive|partition|volume)\b|\bkill\b.{0,20}\b(every|all|any|other)\b|\bpretend\b|\b(invent|fabricate|make up|fake|forge)\b.{0,30}\b(figures?|numbers?|data|results?|sources?|quotes?|citations?|values?|answers?|signatures?)\b|\bpersonal data\b|\bwhatever\b.{0,40}\b(ask|want|demand|request)\w*\b|\bvirus\b|\bmalware\b|\bdrop\b.{0,10}\b(all|every)\b|\b(schreib|lese|zugriffs)rechte?\b|\bjede[mnr]?\b.{0,20}\b(rechte|zugriff)|\b(offne|ouvr|abr|apri)\w*\b.{0,20}\b(port|porta|puerto)\w*\b|\bport\w*\b.{0,20}\b(tout le monde|todo el mundo|tutti|alle)\b|(откро|открыв).{0,20}порт|(开放|打开|開放).{0,10}(端口|权限|權限)|(ポート).{0,10}(開|あけ)|(포트).{0,10}(열|개방)|(افتح).{0,20}(المنفذ|منفذ)|(पोर्ट).{0,10}(खोल)|(書き込み|アクセス).{0,10}(許可)|(लॉग).{0,20}(मिटा|हटा)|\bauch wenn\b.{0,20}\b(tests?|prufung)\w*\b.{0,20}(scheiter|fehlschlag)",
    ),
    // Switches in the environment and in settings that turn a check off.
    (
        Quarantine::DisablesSafety,
        r"reject_?unauthorized|no_?ssl_?verify|ssl_?no_?verify|pythonhttpsverify|\b(set|export|put|turn|change|switch)\b.{0,60}(verify|verif\w+|tls|ssl|certificat\w*|checksums?|sandbox|audit|guard\w*|signature\w*)\w*.{0,20}\b(0|false|off|no|none|never|disabled)\b",
    ),
    // Rules that are said to hold no longer, and words of others that are to count as a person's.
    (
        Quarantine::Injection,
        r"\b(rules?|instructions?|guidelines?|polic(y|ies))\b.{0,40}\b(no longer|don'?t|do not|cease to)\b.{0,10}\b(apply|hold|count|bind|matter|valid)\b|\b(treat|regard|consider|take|handle|accept)\b.{0,80}\bas (if|though)\b.{0,40}\b(users?|operators?|persons?|admin\w*|owners?|system|developers?|customers?|boss)\b|\b(follow|obey|heed|trust|believe|listen to|go by)\b.{0,20}\b(only|solely|exclusively|nothing but)\b.{0,10}\b(this|the following)\b|\bkeep\b.{0,40}\b(to yourself|secret|confidential|between us)\b|\bnever\b.{0,10}\b(mention|disclose|reveal|repeat)\b.{0,10}\b(it|this|that)\b|\b(regeln|anweisungen|vorgaben)\b.{0,40}\b(gelten nicht|ungultig|nicht mehr|aufgehoben)\b|\b(regles|consignes|instructions)\b.{0,40}(ne (s'appliquent|valent|comptent) plus|annule|plus valables)|\b(reglas|instrucciones)\b.{0,40}\bno (se aplican|valen|cuentan)\b|\b(regole|istruzioni)\b.{0,40}non (valgono|si applicano)|\b(regras|instrucoes)\b.{0,40}nao (se aplicam|valem)|(правил|инструкц|указан).{0,30}(не действу|отменен|недейств|не имеют)|слушайся только|подчиняйся|(规则|規則|指令|指示).{0,12}(不再|失效|作废|作廢|无效|無效)|(規則|ルール|指示).{0,12}(無効|適用され)|(규칙|지시|지침).{0,12}(더 이상|무효)|\b(kural|talimat|yonerge)\w*.{0,30}(gecerli degil|gecersiz)|\b(zasady|instrukcje|polecenia)\b.{0,30}(nie obowiazuj|niewazne)|\b(regels|instructies)\b.{0,30}(gelden niet|niet meer)|(التعليمات|القواعد).{0,30}(لم تعد|لاغية)",
    ),
    // Never asking whom it concerns, in other languages.
    (
        Quarantine::DisablesSafety,
        r"\bne\b.{0,20}\b(jamais|pas|plus)\b.{0,40}(confirmation|accord|permission|autorisation|approbation)|\b(nunca|no)\b.{0,12}\b(pid|pregunt|esper|solicit)\w*.{0,40}(confirmacion|permiso|aprobacion)|\bnon\b.{0,12}\b(chied|attend)\w*.{0,40}(conferma|permesso|approvazione)|\b(nunca|nao)\b.{0,12}\b(pec|espere|solicit)\w*.{0,40}(confirmac|permissao|aprovac)|\b(frag|wart|bitt)\w*\b.{0,12}\b(nie|niemals|nicht)\b.{0,40}(bestatig|freigabe|erlaubnis|zustimmung|ruckfrage)|\b(nie|niemals|nicht)\b.{0,30}\bnachfrag|(bestatig|freigabe|erlaubnis|zustimmung)\w*.{0,20}\b(nicht|nie)\b.{0,10}(abwart|erfrag|einhol|warte)|(не|никогда).{0,15}(спраши|проси|запраши|жди|ждать).{0,40}(подтвержд|разрешени|согласи)|(不要|别|勿|无需|不必|无须|從不|从不).{0,8}(询问|請求|请求|等待|征求).{0,10}(确认|確認|同意|许可|批准)|(確認|許可|承認).{0,6}(求めず|求めない|取らず|待たず)|(확인|승인|허락).{0,8}(묻지|요청하지|기다리지)|\bonay\w*.{0,15}(isteme|bekleme|sorma)|\bnie\b.{0,10}(pytaj|czekaj|pros).{0,30}(potwierdz|zgod)|\bvraag\b.{0,10}(nooit|niet).{0,30}(bevestiging|toestemming)",
    ),
    // Where keys and passwords stand, and their names in other languages.
    (
        Quarantine::Credential,
        r"\.(aws|ssh|kube|gnupg|azure|docker)/|\.(npmrc|pypirc|pgpass|git-credentials|vault-token)\b|/etc/(passwd|shadow|sudoers)|\bid_(ed25519|ecdsa|dsa)\b|\bgcloud/|私钥|私鑰|口令|秘钥|令牌|개인 ?키|토큰|(приватн|секретн)\w* ключ|\b(ozel|gizli) anahtar",
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
    let mut doubts: Vec<Quarantine> = Vec::new();
    for (doubt, pattern) in COMPILED.iter() {
        if !doubts.contains(doubt) && readings.iter().any(|reading| pattern.is_match(reading)) {
            doubts.push(*doubt);
        }
    }
    if is_hidden_text(content) {
        doubts.push(Quarantine::Disguise);
    }
    doubts
}

#[cfg(test)]
pub(super) fn pattern_count() -> (usize, usize) {
    (COMPILED.len(), PATTERNS.len())
}
