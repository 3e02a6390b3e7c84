unzip -qd u a.docx
grep -n 'thirty (30)' u/word/document.xml
tail -9 u/word/comments.xml
grep -o 'Comment[A-Z][a-z]*"' u/word/styles.xml
python3 - <<'E'
p='u/word/document.xml'
s=open(p).read()
r='<w:r><w:t xml:space="preserve">'
t='</w:t></w:r>'
o='<w:r><w:t>Either party may end it at any time by giving the other thirty (30) days'
assert s.count(o)==1
s=s.replace(o,r+o[10:].replace('thirty',t+'<w:commentRangeStart w:id="2"/><w:r><w:t>thirty')+t+'<w:commentRangeEnd w:id="2"/><w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:commentReference w:id="2"/></w:r>'+r)
open(p,'w').write(s)
p='u/word/comments.xml'
s=open(p).read()
c='<w:comment w:id="2" w:author="Reviewer" w:date="2026-02-01T10:00:00Z" w:initials="R"><w:p><w:pPr><w:pStyle w:val="CommentText"/></w:pPr><w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:annotationRef/></w:r><w:r><w:t>Too short?</w:t></w:r></w:p></w:comment>'
open(p,'w').write(s.replace('</w:comments>',c+'</w:comments>'))
E
cd u;zip -qr ../b.docx .
