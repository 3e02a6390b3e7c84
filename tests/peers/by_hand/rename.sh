unzip -qd u a.docx
grep -n Harrowgate u/word/*.xml
python3 - <<'E'
import glob,re
A='w:author="Reviewer" w:date="2026-02-01T10:00:00Z"'
i=900
def run(m):
 global i
 pr,rest=m[1] or '',m[2]
 if 'Harrowgate' not in rest:return m[0]
 n=''
 for x in re.findall(r'<w:t(?: [^>]*)?>[^<]*</w:t>|<w:(?:tab|br)/>',rest):
  if 'Harrowgate' not in x:n+=f'<w:r>{pr}{x}</w:r>';continue
  for y in re.split(r'(Harrowgate)',re.sub('<.*?>','',x)):
   if y=='Harrowgate':
    i+=2
    n+=f'<w:del w:id="{i}" {A}><w:r>{pr}<w:delText>{y}</w:delText></w:r></w:del><w:ins w:id="{i+1}" {A}><w:r>{pr}<w:t>Harrogate</w:t></w:r></w:ins>'
   elif y:n+=f'<w:r>{pr}<w:t xml:space="preserve">{y}</w:t></w:r>'
 return n
for p in glob.glob('u/word/*.xml'):
 s=open(p).read()
 if 'Harrowgate' in s:open(p,'w').write(re.sub(r'<w:r>(<w:rPr>.*?</w:rPr>)?((?:<w:(?:t|tab|br)\b[^>]*>(?:[^<]*</w:t>)?)+)</w:r>',run,s))
E
cd u;zip -qr ../b.docx .
