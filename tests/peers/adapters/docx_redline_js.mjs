// docx-redline-js: `applyOperationToDocumentXml` on a part, as its README and AGENTS.md say for whole documents.
//
// It takes a paragraph and that paragraph's whole new text in Markdown, which keeps what is bold, so all words of a paragraph go out as one
// operation. The Markdown is the library's own of the paragraph, with the words replaced in it. What it throws as a plain
// `Error`, and `status: "error"`, is its no; a `TypeError` and the like is a crash. Must never write revisions by itself.
import { readFileSync, writeFileSync } from 'node:fs';
import JSZip from 'jszip';
import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import {
  acceptTrackedChangesInOoxml, configureLogger, configureXmlProvider, ensureCommentsArtifactsInZip, ensureNumberingArtifactsInZip,
  ingestWordOoxmlToMarkdown, rejectTrackedChangesInOoxml, setDefaultAuthor,
} from '@ansonlai/docx-redline-js';
import { getDocumentParagraphNodes, getParagraphText } from '@ansonlai/docx-redline-js/core/paragraph-targeting.js';
import { applyOperationToDocumentXml } from '@ansonlai/docx-redline-js/services/standalone-operation-runner.js';

const request = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const quiet = () => {};
configureXmlProvider({ DOMParser, XMLSerializer });
configureLogger({ log: quiet, warn: quiet, error: quiet });
setDefaultAuthor(request.author);

const PARTS = { body: 'document', textbox: 'document', header: 'header1', footer: 'footer1', footnote: 'footnotes' };
const applied = { status: 'applied' };
const refused = (why) => ({ status: 'refused', why: String(why).slice(0, 300) });
const cannot = (why) => ({ status: 'cannot', why });

const markdown = (rows) => rows.map((row) => `| ${row.join(' | ')} |`).toSpliced(1, 0, `|${rows[0].map(() => '---').join('|')}|`).join('\n');

// What the library says is a paragraph's text: the one that was named or, where the library reads another, the one with that number.
function itsText(xml, at) {
  const nodes = getDocumentParagraphNodes(new DOMParser().parseFromString(xml, 'application/xml'));
  return at.story !== 'body' || nodes.some((p) => getParagraphText(p) === at.text) ? at.text : getParagraphText(nodes[at.number - 1]) || at.text;
}

// A paragraph in the library's Markdown, where that says the same as its text.
function inMarkdown(xml, text) {
  const node = getDocumentParagraphNodes(new DOMParser().parseFromString(xml, 'application/xml')).find((p) => getParagraphText(p) === text);
  const found = node ? ingestWordOoxmlToMarkdown(new XMLSerializer().serializeToString(node)) : text;
  return found.replace(/\*\*|\+\+|~~|\*/g, '') === text ? found : text;
}

// Replaces words in Markdown. Where markers stand within them, only what differs is replaced.
function reworded(source, find, words) {
  if (source.includes(find)) return source.replace(find, () => words);
  let end = 0;
  while (end < Math.min(find.length, words.length) && find.at(-1 - end) === words.at(-1 - end)) end += 1;
  const kept = find.slice(0, find.length - end).trimEnd();
  return source.replace(kept, () => words.slice(0, words.length - (find.length - kept.length)));
}

// All that is asked of a table goes out as its new text. Rows come before rows go, so that numbers mean the table as it was.
function tableAfter(operations) {
  const rows = operations[0].table.map((row) => [...row]);
  for (const o of operations.toSorted((a, b) => b.row - a.row || Number(b.op === 'add_row') - Number(a.op === 'add_row'))) {
    if (o.op === 'add_row') rows.splice(o.row + 1, 0, o.cells);
    if (o.op === 'delete_row') rows.splice(o.row, 1);
    if (o.op === 'set_cell') rows[o.row][o.column] = o.text;
  }
  return markdown(rows);
}

// The library's operation, or nothing where it has none.
function translated(o, xml) {
  const text = itsText(xml, o.at);
  const target = { type: 'redline', target: text, ...(o.at.story === 'body' ? { targetRef: `P${o.at.number}` } : {}) };
  if (o.op === 'replace') return { ...target, modified: o.pairs.reduce((source, [find, words]) => reworded(source, find, words), inMarkdown(xml, text)) };
  if (o.op === 'insert_paragraph') return { ...target, modified: o.before ? `${o.text}\n${text}` : `${text}\n${o.text}` };
  if (o.op === 'insert_item') return { ...target, modified: `${text}\n${o.text}` };
  if (o.op === 'delete_paragraph') return { ...target, modified: '' };
  if (o.op === 'split') return { ...target, modified: `${o.first}\n${o.rest}` };
  if (o.op === 'rewrite') return { ...target, modified: o.text };
  if (o.op === 'insert_list') return { ...target, modified: [text, ...o.items.map((item) => `- ${item}`)].join('\n') };
  if (o.op === 'bold') return { ...target, modified: o.markdown ?? reworded(inMarkdown(xml, text), o.find, `**${o.find}**`) };
  if (o.op === 'comment') return { ...target, type: 'comment', textToComment: o.find, commentContent: o.text };
  if (o.table) return { ...target, modified: tableAfter(o.same) };
  return undefined;
}

// The library takes strings, and leaves encodings to its caller.
async function xmlOf(zip, path) {
  const bytes = await zip.file(path).async('uint8array');
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(wide ? 'utf-16le' : 'utf-8').decode(bytes).replace('encoding="UTF-16"', 'encoding="UTF-8"');
}

const warnings = [];

async function perform(zip, part, operation) {
  const path = `word/${part}.xml`;
  const result = await applyOperationToDocumentXml(await xmlOf(zip, path), operation, request.author);
  warnings.push(...(result.warnings ?? []).map(String));
  if (result.status === 'error') return refused(`${result.error?.code}: ${result.error?.message}`);
  if (!result.hasChanges) return refused((result.warnings ?? []).join('; ') || 'no change');
  zip.file(path, result.documentXml);
  await ensureNumberingArtifactsInZip(zip, result.numberingXml);
  await ensureCommentsArtifactsInZip(zip, result.commentsXml);
  return applied;
}

async function resolveAll(zip, resolve, whose = { allAuthors: true }) {
  for (const path of Object.keys(zip.files).filter((name) => /^word\/(document|header1|footer1|footnotes)\.xml$/.test(name))) {
    zip.file(path, resolve(await xmlOf(zip, path), whose).oxml);
  }
  return applied;
}

async function one(zip, o) {
  if (o.op === 'accept_all') return resolveAll(zip, acceptTrackedChangesInOoxml);
  if (o.op === 'reject_all') return resolveAll(zip, rejectTrackedChangesInOoxml);
  if (o.op === 'accept_author') return resolveAll(zip, acceptTrackedChangesInOoxml, { author: o.author });
  if (o.op === 'reject_author') return resolveAll(zip, rejectTrackedChangesInOoxml, { author: o.author });
  if (o.whole || o.everywhere) return cannot('it takes paragraphs and their whole new text');
  if (o.op === 'replace' && !o.at) {
    if (o.find.split(' ').length < 4) return cannot('it takes paragraphs and their whole new text');
    return perform(zip, 'document', { type: 'redline', target: o.find, modified: o.with });
  }
  if (!o.at) return cannot('no such operation');
  const operation = translated(o, await xmlOf(zip, `word/${PARTS[o.at.story]}.xml`));
  return operation ? perform(zip, PARTS[o.at.story], operation) : cannot('no such operation');
}

const zip = await JSZip.loadAsync(readFileSync(request.document));
const results = new Array(request.operations.length);
for (let i = 0; i < request.operations.length; i += 1) {
  const o = request.operations[i];
  // Words of one paragraph go out together, since the second call would find the revisions of the first.
  const sameParagraph = (other) => ['replace', 'bold'].includes(other.op) && o.op === 'replace' && o.at && other.at?.number === o.at.number && other.at.story === o.at.story;
  const sameTable = (other) => other.table && o.table;
  const together = request.operations.map((other, at) => at).filter((at) => at === i || sameParagraph(request.operations[at]) || sameTable(request.operations[at]));
  if (together[0] !== i || results[i]) continue;
  let result;
  try {
    const pairs = together.map((at) => [request.operations[at].find, request.operations[at].with ?? `**${request.operations[at].find}**`]);
    result = await one(zip, { ...o, pairs, same: together.map((at) => request.operations[at]) });
  } catch (error) {
    if (error.constructor !== Error) throw error;
    result = refused(error.message);
  }
  for (const at of together) results[at] = result;
}
if (results.some((result) => result.status === 'applied')) {
  writeFileSync(request.output, await zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' }));
}
console.log(JSON.stringify({ results, warnings }));
