unzip -qd u a.docx
python3 - <<'E'
import re
print(re.search('(?s)<w:tbl>.*?</w:tbl>',open('u/word/document.xml').read())[0])
E
python3 - <<'E'
import re
p='u/word/document.xml'
s=open(p).read()
A='w:author="Reviewer" w:date="2026-02-01T10:00:00Z"'
j=s.index('</w:tbl>')
k=s.rindex('<w:tr ',0,j)
r=s[k:j]
i=910
def cell(x):
 def f(m):
  global i
  i+=2
  return f'<w:p>{m[1][:-8]}<w:rPr><w:ins w:id="{i}" {A}/></w:rPr></w:pPr><w:ins w:id="{i+1}" {A}><w:r><w:t>{x}</w:t></w:r></w:ins></w:p>'
 return f
c=re.findall('(?s)<w:tc>.*?</w:tc>',r)
n=''.join(re.sub('(?s)<w:p [^>]*>\\s*(<w:pPr>.*?</w:pPr>).*?</w:p>',cell(x),y) for x,y in zip(['Moss Ltd (“Moss”)','Leeds','x@moss.example'],c))
m=re.search('<w:trPr>.*?</w:trPr>',r)
t=m[0][8:-9] if m else ''
s=s[:j]+f'<w:tr><w:trPr>{t}<w:ins w:id="901" {A}/></w:trPr>{n}</w:tr>'+s[j:]
open(p,'w').write(s)
E
cd u;zip -qr ../b.docx .
