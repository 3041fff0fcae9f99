import fc from 'fast-check';

/** What statements are made of: harmless and hostile pieces of one dialect. */
export interface Dialect {
  /** Values that are harmless by themselves. */
  readonly values: readonly string[];
  /** Names that may stand before a parenthesis. */
  readonly functions: readonly string[];
  /** Whole calls and other things that do what reading does not. */
  readonly hostile: readonly string[];
  /** Ends and beginnings of strings, comments and names, on which readers differ. */
  readonly edges: readonly string[];
  readonly operators: readonly string[];
  /** Behind a value. */
  readonly suffixes: readonly string[];
  readonly sources: readonly string[];
  readonly tails: readonly string[];
}

/** Blanks to some, letters or line ends to others. */
const BLANKS = [
  '\n',
  '\t',
  '\r',
  '\f',
  '\v',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u3000',
  '\ufeff',
  '/**/',
  '--\n',
];

/** Texts that could be statements, half of them harmless but for one place. */
export function hostileSql(dialect: Dialect): fc.Arbitrary<string> {
  const of = (texts: readonly string[]) => fc.constantFrom(...texts);
  const blank = fc.oneof({ weight: 30, arbitrary: fc.constant(' ') }, { weight: 1, arbitrary: of(BLANKS) });
  const joined = (...parts: fc.Arbitrary<string>[]) =>
    fc.tuple(blank, ...parts).map(([between, ...texts]) => texts.join(between));
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 8, arbitrary: of(dialect.values) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(of(dialect.functions), of(['(', ' (']), tie('value'))
          .map(([name, open, argument]) => `${name}${open}${argument})`),
      },
      { weight: 3, arbitrary: joined(tie('value'), of(dialect.operators), tie('value')) },
      { weight: 2, arbitrary: fc.tuple(tie('value'), of(dialect.suffixes)).map(([a, b]) => `(${a})${b}`) },
      { weight: 1, arbitrary: tie('value').map((text) => `(SELECT ${text})`) },
      { weight: 1, arbitrary: of(dialect.hostile) },
    ),
  }));
  const list = fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => values.join(', '));
  const query = joined(
    list.map((values) => `SELECT ${values}`),
    fc.oneof(
      fc.constant(''),
      of(dialect.sources).map((source) => `FROM ${source}`),
    ),
    fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: of(dialect.tails) }),
  );
  // Between two edges each reader sees something else.
  const framed = fc
    .tuple(of(dialect.edges), of(dialect.hostile), of(dialect.edges))
    .map(([open, hostile, close]) => `SELECT 1 ${open}, ${hostile} ${close}`);
  const cut = fc
    .tuple(query, fc.nat(), of([...dialect.edges, ...BLANKS]))
    .map(([text, at, edge]) => text.slice(0, at % text.length) + edge + text.slice(at % text.length));
  return fc.oneof(
    { weight: 6, arbitrary: query },
    { weight: 3, arbitrary: framed },
    { weight: 3, arbitrary: cut },
  );
}
