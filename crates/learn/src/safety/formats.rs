//! The formats of secrets: names and shapes that makers of services document and that public scanners list.
//!
//! The name of a group is the kind; a group that ends in `_value` is the part that is taken out. Order matters: the first that
//! fits at a place counts. Sources: the makers' documents, and the rule list of gitleaks (MIT licence) as facts.

use std::sync::LazyLock;

use regex::Regex;

/// Keys by their prefix. What stands behind a prefix that words can have, too, is looked at by `super::secrets`.
const KEYS: &str = r#"(?x)
    (?P<pem>-----BEGIN\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----(?s:.*?)
        (?:-----END\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----|\z))
    |(?P<webhook>hooks\.slack\.com/(?:services|workflows|triggers)/(?P<slack_value>[A-Za-z0-9/_-]{20,})
        |discord(?:app)?\.com/api/webhooks/[0-9]+/(?P<discord_value>[A-Za-z0-9_-]{30,})
        |webhook\.office\.com/webhookb2/(?P<teams_value>[^\s"']{20,}))
    |(?P<api_key>
        \bsk-(?:ant|proj|or-v1|svcacct|admin)-[A-Za-z0-9_-]{16,}|\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}
        |\bops_eyJ[A-Za-z0-9+/=_-]{20,}|\b(?:sntrys|glc)_eyJ[A-Za-z0-9+/=_-]{20,}|\b(?:sk|pk|tk)\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{10,}
        |\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}
        |\bgl(?:pat|rt|ptt|dt|cbt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_-]{16,}|\bATBB[A-Za-z0-9]{24,}|\bAT[AC]TT3[A-Za-z0-9_=-]{20,}
        |\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[0-9]-[A-Za-z0-9-]{20,}
        |\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b|\bamzn\.mws\.[0-9a-f-]{30,}
        |\bAIza[0-9A-Za-z_-]{30,}|\bGOCSPX-[A-Za-z0-9_-]{20,}|\bya29\.[A-Za-z0-9_-]{20,}|\b1//0[A-Za-z0-9_-]{30,}
        |[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,36}|\bLTAI[A-Za-z0-9]{12,24}\b|\bAKID[A-Za-z0-9]{13,40}\b|\bAQVN[A-Za-z0-9_-]{30,}
        |\b(?:hf|r8|gsk|nfp|fw|ntn|figd|pnu|npm|aio)_[A-Za-z0-9_-]{20,}|\bapi_org_[A-Za-z0-9]{30,}|\bpplx-[A-Za-z0-9]{30,}|\bxai-[A-Za-z0-9]{20,}
        |\blsv2_[a-z]{2}_[A-Za-z0-9_]{30,}|\bpcsk_[A-Za-z0-9_]{30,}|\btgp_v1_[A-Za-z0-9_-]{30,}
        |\bpypi-[A-Za-z0-9_-]{30,}|\brubygems_[a-f0-9]{40,}|\boy2[a-z0-9]{43}\b|\bCLOJARS_[a-z0-9]{50,}|\bcio[A-Za-z0-9]{32}\b|\bAKCp[A-Za-z0-9]{50,}
        |\bdckr_[po]at_[A-Za-z0-9_-]{20,}|\bdapi[a-h0-9]{32}\b|\bdo[por]_v1_[a-f0-9]{40,}|\bHRKU-[A-Za-z0-9_-]{30,}|\bf(?:o1|m1|m2)_[A-Za-z0-9_-]{20,}
        |\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|\bsbp_[a-f0-9]{40}\b|\bsb_secret_[A-Za-z0-9_-]{20,}|\bpscale_[a-z]{2,6}_[A-Za-z0-9_.=-]{30,}
        |\bhv[sbr]\.[A-Za-z0-9_-]{20,}|\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}
        |\bpul-[a-f0-9]{40}\b|\btskey-[a-z]+-[A-Za-z0-9-]{20,}|\bpat[A-Za-z0-9]{14}\.[a-f0-9]{60,}|\blin_(?:api|oauth)_[A-Za-z0-9]{20,}
        |\btfp_[A-Za-z0-9_.=-]{30,}|\bCFPAT-[A-Za-z0-9_-]{30,}|\bpat-(?:na|eu|ap)[0-9]-[0-9a-f-]{36}|\bNR(?:AK|JS|II|RA)-[A-Z0-9a-f]{19,}
        |\bsntryu_[a-f0-9]{40,}|\bglsa_[A-Za-z0-9]{20,}_[a-f0-9]{8}|\bdt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{40,}|\bhca[a-z]{2}_[a-z0-9]{40,}
        |\b(?:api|sdk|mob)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\bPMAK-[a-f0-9]{20,}-[a-f0-9]{30,}|\bsq[upa]_[a-f0-9]{40}\b|\bsgp_[A-Za-z0-9_]{30,}
        |\bbk[a-z]{1,3}_[a-f0-9]{40}\b|\bCCIPAT_[A-Za-z0-9_]{30,}|\bico-[A-Za-z0-9]{32}\b|\brdme_[a-z0-9]{50,}|\bEAACEdEose0cBA[A-Za-z0-9]{10,}
        |\bsq0[a-z]{3}-[A-Za-z0-9_-]{20,}|\baccess_token\$(?:production|sandbox)\$[a-z0-9]{10,}\$[a-f0-9]{20,}|\bshp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}
        |\bFLWSECK(?:_TEST)?-[A-Za-z0-9-]{12,}|\brzp_(?:live|test)_[A-Za-z0-9]{14,}|\baccess-(?:production|sandbox|development)-[0-9a-f-]{36}
        |\bshippo_(?:live|test)_[a-f0-9]{30,}|\bEZ[AT]K[A-Za-z0-9]{40,}|\bduffel_(?:live|test)_[A-Za-z0-9_-]{30,}
        |\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bx(?:keysib|smtpsib)-[a-f0-9]{50,}-[A-Za-z0-9]{10,}|\bkey-[0-9a-f]{32}\b
        |\b[0-9a-f]{32}-us[0-9]{1,2}\b|\bSK[0-9a-f]{32}\b|\bAGE-SECRET-KEY-1[0-9A-Z]{20,}
        |\b[MNO][A-Za-z0-9]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}|\$(?:apr1|2[aby]|1|5|6|argon2[a-z]*)\$[./A-Za-z0-9$=,+-]{10,})
    |(?P<jwt>\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)
    |(?P<key_like>\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,})
    |(?P<bot_token>\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b)
    |(?P<url_password>[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"']{0,64}:(?P<url_value>[^\s/@"']{1,256})@)
    |(?P<dsn>[a-z]{2,10}://(?P<dsn_value>[a-f0-9]{32})@)
    |(?P<bearer>\b(?i:bearer|basic|authorization["']?\s?[:=]\s?["']?(?:token|apikey|key|digest))\s+(?P<bearer_value>[A-Za-z0-9._~+/=-]{12,}))
    |(?P<cookie>(?i:\b(?:set-)?cookie["']?\s?[:=]\s?["']?)(?P<cookie_value>[A-Za-z0-9_.-]+=[^\r\n"'\[]{6,}))
    |(?P<netrc>\blogin\s+\S{1,64}\s+password\s+(?P<netrc_value>\S+))
    |(?P<pgpass>\b[\w.*-]+:[0-9]{2,5}:[\w*-]+:[\w*-]+:(?P<pgpass_value>[^\s:\[]{4,}))
    |(?P<curl>\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user|--proxy-user)[\s=]?["']?[^\s:"']{1,64}:(?P<curl_value>[^\s"'\[]+))
    |(?P<mysql>\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p(?P<mysql_value>[^\s"'\[]{3,}))
    |(?P<rediscli>\bredis-cli\b[^\n|;]{0,120}?\s(?:-a|--pass)\s+["']?(?P<redis_value>[^\s"'\[]{3,}))
    |(?P<netuse>\bnet\s+use\b[^\n|;]{0,120}?/user:\S{1,64}\s+["']?(?P<netuse_value>[^\s"'/\[]{3,}))
    |(?P<archive>\b(?:unzip|zip|7z|rar|unrar)\b[^\n|;]{0,60}?\s-(?:P\s?|p|hp)["']?(?P<archive_value>[^\s"'\[-][^\s"'\[]{3,}))
    |(?P<login>\b(?:docker|podman|helm|oc|az|cf|nerdctl|skopeo)\b[^\n|;]{0,60}?\blogin\b[^\n|;]{0,160}?\s-p\s+["']?(?P<login_value>[^\s"'\[-][^\s"'\[]{3,}))
    |(?P<as_password>\b(?i:with|use|enter|type)\s+["'`]?(?P<as_value>[^\s"'`\[]{5,64})["'`]?\s+(?i:as)\s+(?i:the|my|your|a)?\s?(?i:pass(?:word|code|phrase)))
    |(?P<my_password>\b(?i:my|our|the)\s+(?i:pass(?:word|code))\s+["'`]?(?P<my_value>[^\s"'`,;:=\[]{6,64}))
    |(?P<code>(?i:(?:backup|recovery|rescue)[\ _-]?codes?|licen[cs]e[\ _-]?key|product[\ _-]?key|serial[\ _-]?key)["']?\s{0,3}(?:is|[:=])\s{0,3}["']?(?P<code_value>[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}))
    |(?P<ldap>\b(?i:bindpw|rootpw|olcRootPW)[\s:=]+(?P<ldap_value>[^\s"'\[]{3,}))
    |(?P<storepass>-(?:storepass|keypass|srcstorepass|deststorepass|srckeypass|destkeypass|passin|passout)(?:=|\s+)["']?(?:pass:)?(?P<store_value>[^\s"'\[-][^\s"'\[]{3,}))
    |(?P<sshpass>\bsshpass\s+-p\s?["']?(?P<sshpass_value>[^\s"'\[]{3,}))
    |(?P<flag>--(?:[a-z]{1,12}-)?(?:password|passwd|pass|passphrase|token|secret|api-?key|auth-token|access-token|client-secret)(?:=|\s+)["']?
        (?P<flag_value>[^\s"'\[-][^\s"'\[]{3,}))
    |(?P<query>[?&](?i:key|sig|signature|access_token|token|auth|api_?key|client_secret|password|pwd|secret|x-amz-signature)=
        (?P<query_value>[^\s&"'\#\[]{8,}))
    |(?P<element><(?i:[a-z0-9_.:-]{0,24}(?:password|passwd|passphrase|secret|apikey|api-key|api_key|token|privatekey))>(?P<element_value>[^<\s\[$][^<\n\[]{3,200})</)
    |(?P<secret_base>(?i:secret[_-]?key[_-]?base|secret[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|private[_-]?key[_-]?id|wif|xprv)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?P<base_value>[A-Za-z0-9+/=_-]{16,}))
    |(?P<mnemonic>(?i:mnemonic|seed\ ?phrase|recovery\ phrase|seed\ words)["']?\s{0,3}(?:is|[:=])\s{0,3}["']?(?P<mnemonic_value>(?:[a-z]{3,8}[\ ,]+){11,23}[a-z]{3,8}))
    |(?P<pin>\b(?:PIN|Pin|TAN|OTP|CVV|CVC)(?:\ ?(?:code|number))?["']?\s{0,2}(?:[:=]|is|ist|lautet)\s{0,2}["']?(?P<pin_value>[0-9]{3,8})\b)
    |(?P<prompt>(?i:\benter\ (?:the\ )?(?:password|passphrase)\b[^:\n]{0,80}(?:'[^'\n]{0,80}')?|\[sudo\]\ [^:\n]{0,80}|\bpass(?:word|phrase)\ for\ (?:(?:key|user)\ )?(?:'[^'\n]{1,80}'|\S{1,80})|'s\ password):\ +
        (?P<prompt_value>[^\s"'\[]{4,}))
    |(?P<sql>(?i:\bidentified\ by(?:\ values)?\s+|\bwith\s+(?:encrypted\s+)?password\s+|\bpassword\s*\(\s*|\bset\ password\b[^'"\n]{0,80}?=\s*)['"](?P<sql_value>[^'"\n\[]{3,})['"])
    |(?P<piped>\b(?:echo|printf)\s+(?:-[a-z]+\s+)?["']?(?P<piped_value>[^\s"'|$`\[][^\n"'|`\[]{2,}?)["']?\s*\|[^\n|]{0,80}?(?:\bsudo\b[^\n|]{0,30}\s-S\b|--password-stdin|\bpasswd\s+--stdin|\bchpasswd\b|\bsshpass\b|--passphrase-fd|\bcryptsetup\b))
    |(?P<attribute>\b(?i:key|name|id)\s*=\s*["'](?i:[a-z0-9_.:-]{0,32}(?:password|passwd|passphrase|secret|apikey|api-key|api_key|token|pwd))["']\s+(?i:value)\s*=\s*["'](?P<attribute_value>[^"'\n\[$]{3,200})["'])
    |(?P<docker>"auth"\s*:\s*"(?P<docker_value>[A-Za-z0-9+/=]{12,})")
    |(?P<passphrase>(?i:pass\ ?phrase)["']?\s{0,3}[:=]\s{0,3}(?P<phrase_value>[^\s"',;\[]+(?:\ [a-z0-9-]+){1,9}))
    |(?P<password>(?i:pass(?:word|wd|phrase)?|\bpwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key
        |client[_-]?secret|private[_-]?key|auth[_-]?token|credentials?)\\?["']?\s{0,3}[:=]\s{0,3}
        (?:\\?"(?P<quoted_value>[^"\n\\\[]{4,200})\\?"|'(?P<single_value>[^'\n\[]{4,200})'|(?P<password_value>[^\s"',;&<>(){}\[\]\\]{6,})))
    |(?P<said>(?i:\b(?:pass(?:word|wort|code|phrase)|kennwort|mot\ de\ passe|contrase(?:ñ|n)a|senha|wachtwoord|has(?:ł|l)o|l(?:ö|o)senord|şifre|parola|pin)
        (?:\s+(?:for|of|to|on|für|vom|zum|von|de|del|du|des|pour|para|do|da|di|per|van|voor)\s+(?:\S{1,24}\s+){0,2}\S{1,24})?\s+(?:is|ist|lautet|est|es|é|è|to|jest|är)\s+:?)["'`]?(?P<said_value>[^\s"'`,;\[]{4,})
        |(?:парол[ьяей]+\s*(?::|-|—|это)?\s*|密[码碼]\s*(?:是|为|為|：|:)\s*|パスワード\s*(?:は|：|:)\s*|비밀번호\s*(?:는|은|:)\s*|كلمة\ المرور\s*(?:هي|:)?\s*)
        (?P<foreign_value>[!-Z\\^-~]{4,}))
"#;

/// Every format in one pattern.
pub(super) static FORMATS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(KEYS).ok());

/// How ids begin that programs give to messages and calls, and checksums of packages. They open nothing.
pub(super) const IDS: &[&str] = &[
    "call_",
    "msg_",
    "toolu_",
    "chatcmpl-",
    "resp_",
    "run_",
    "thread_",
    "asst_",
    "req_",
    "file-",
    "item_",
    "fc_",
    "rs_",
    "sha1-",
    "sha256-",
    "sha384-",
    "sha512-",
    "build-",
];

/// What stands in the place of a secret in code, documents and forms.
pub(super) const PLAIN: &[&str] = &[
    "boolean",
    "changeme",
    "disabled",
    "enabled",
    "example",
    "expired",
    "false",
    "field",
    "hidden",
    "incorrect",
    "integer",
    "invalid",
    "missing",
    "needed",
    "never",
    "none",
    "null",
    "number",
    "object",
    "option",
    "optional",
    "password",
    "placeholder",
    "redacted",
    "rejected",
    "required",
    "secret",
    "secretstr",
    "string",
    "there",
    "token",
    "true",
    "undefined",
    "unknown",
    "unset",
    "value",
    "wrong",
];
