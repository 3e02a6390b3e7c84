unzip -qd u a.docx
grep -n 'thirty (30)' u/word/document.xml
python3 - <<'E'
p='u/word/document.xml'
s=open(p).read()
A='w:author="Reviewer" w:date="2026-02-01T10:00:00Z"'
r='<w:r><w:t xml:space="preserve">'
t='</w:t></w:r>'
def c(i,a,b):return f'{t}<w:del w:id="{i}" {A}><w:r><w:delText>{a}</w:delText></w:r></w:del><w:ins w:id="{i+1}" {A}><w:r><w:t>{b}{t}</w:ins>{r}'
o='<w:r><w:t>Either party may end it at any time by giving the other thirty (30)'
assert s.count(o)==1
s=s.replace(o,r+o[10:].replace('thirty (30)',c(901,'thirty','sixty')+' ('+c(903,'30','60')+')'))
open(p,'w').write(s)
E
cd u;zip -qr ../b.docx .
