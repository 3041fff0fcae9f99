import { Parser } from 'htmlparser2';

/** So much behind its preamble is looked at where the first tag does not tell. The parser's time is not linear. */
const LOOKED_AT = 16 * 1024;
const PAGE_NAME = /\.(?:[xs]?html?|xht|phtml|php|aspx?|jsp)$/i;
const MARKDOWN_NAME = /\.(?:md|markdown|mdown|mkd|mdx)$/i;
const ROOT = /<(?:!doctype\s+html|html|head|body|frameset)\b/iy;
const FIRST_TAG = /<([a-z][a-z\d]*)(?=[\s/>])/iy;
/** Elements of HTML, obsolete ones, too; without those that are as likely of some other XML and hide their text in HTML. */
const ELEMENTS = new Set(
  (
    'a abbr acronym address article aside audio b base basefont big blockquote br button caption center cite code col ' +
    'colgroup dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 ' +
    'header hgroup hr i iframe img input ins kbd label legend li link main map mark marquee menu meta nav noscript ol ' +
    'option p picture pre q s samp script section select small source span strike strong style sub summary sup table ' +
    'tbody td textarea tfoot th thead time title tr tt u ul var video wbr'
  ).split(' '),
);
/** In these a text is no Markdown. */
const LITERAL = new Set(['pre', 'code', 'script', 'style', 'textarea', 'title', 'noscript']);
/** A heading, a fence, a link, a table or bold letters, as Markdown writes them. */
const MARKDOWN = /^ {0,3}(?:#{1,6} +\S|```|~~~|\|? *:?-{3,}:? *\|)|\]\([^\s()[\]]+\)|\*\*[^*\n]+\*\*/m;
/** Of neither HTML nor Markdown. */
const TAG_STOOD_HERE = '\u0001';

/**
 * Whether a text is a page: by what it begins with (comments and code of servers aside), and where that does not tell,
 * by its tags and the file's name. Linear in time.
 */
export function isHtml(text: string, filename = ''): boolean {
  const { end, isXml } = preambleOf(text);
  ROOT.lastIndex = end;
  if (ROOT.test(text)) return true;
  if (isXml || MARKDOWN_NAME.test(filename)) return false;
  FIRST_TAG.lastIndex = end;
  const first = FIRST_TAG.exec(text)?.[1]?.toLowerCase();
  const beginsWithTag = first !== undefined && ELEMENTS.has(first);
  const isNamedPage = PAGE_NAME.test(filename);
  if (beginsWithTag && isNamedPage) return true;
  return (beginsWithTag || isNamedPage) && hasTagsOfPage(text.slice(end, end + LOOKED_AT));
}

/** Where what may stand before a page or a root element ends, and whether it says to be XML. */
export function preambleOf(text: string): { readonly end: number; readonly isXml: boolean } {
  let isXml = false;
  for (let at = 0; ;) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
    const kind = ASIDES.find(([open]) => text.startsWith(open, at));
    if (kind === undefined) return { end: at, isXml };
    const [open, close] = kind;
    isXml ||= open === '<?xml';
    // `<!-->` is a whole comment.
    const end = text.indexOf(close, at + 2);
    if (end < 0) return { end: text.length, isXml };
    at = end + close.length;
  }
}

const SPACE = /[\s\ufeff]*/y;
const ASIDES = [
  ['<!--', '-->'],
  ['<?xml', '>'],
  ['<?', '?>'],
  ['<%', '%>'],
] as const;

/** Whether tags are used in a sample, and not only talked of in a text or in Markdown. */
function hasTagsOfPage(sample: string): boolean {
  const seen = new Set<string>();
  const prose: string[] = [];
  let isUsed = false;
  let literals = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (LITERAL.has(name)) literals += 1;
      prose.push(TAG_STOOD_HERE);
      if (!ELEMENTS.has(name)) return;
      isUsed ||= seen.has(name) || name === 'meta' || Object.keys(attributes).length > 0;
      seen.add(name);
    },
    onclosetag: (name, isImplied) => {
      if (LITERAL.has(name)) literals -= 1;
      prose.push(TAG_STOOD_HERE);
      if (!isImplied && seen.has(name)) isUsed = true;
    },
    ontext: (text) => {
      if (literals === 0) prose.push(text);
    },
  });
  parser.write(sample);
  parser.end();
  return isUsed && !MARKDOWN.test(prose.join(''));
}

/** A page without the code that a server runs in it, which may hold `>` where HTML's own rules end it. */
export function withoutPhp(html: string): string {
  const kept: string[] = [];
  let at = 0;
  PHP.lastIndex = 0;
  for (let found = PHP.exec(html); found !== null; found = PHP.exec(html)) {
    kept.push(html.slice(at, found.index));
    const end = html.indexOf('?>', found.index);
    at = end < 0 ? html.length : end + 2;
    PHP.lastIndex = at;
  }
  return at === 0 ? html : [...kept, html.slice(at)].join('');
}

const PHP = /<\?(?:php\b|=)/gi;
