unzip -qd u a.docx
grep -n 'make public' -B2 -A1 u/word/document.xml
python3 - <<'E'
p='u/word/document.xml'
s=open(p).read()
A='w:author="Reviewer" w:date="2026-02-01T10:00:00Z"'
e='without the written consent of the other.</w:t></w:r>\n    </w:p>'
i=s.index(e,s.index('make public'))+len(e)
n=f'<w:p><w:pPr><w:pStyle w:val="Clause"/><w:rPr><w:ins w:id="901" {A}/></w:rPr></w:pPr><w:ins w:id="902" {A}><w:r><w:t>Each party bears its own costs.</w:t></w:r></w:ins></w:p>'
open(p,'w').write(s[:i]+n+s[i:])
E
cd u;zip -qr ../b.docx .
