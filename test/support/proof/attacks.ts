import { AttackStage } from './attack-stage.js';
import { type Draft, SESSION, STREAM_OF_STORY, runIdOf, story } from './story.js';

/** What reaches an auditor. */
export interface Attack {
  readonly stage: AttackStage;
  /** Each is one auditor's; an attack is caught where one of them fails. */
  readonly files: readonly string[];
}

const fileOf = (stage: AttackStage, lines: readonly string[]): Attack => ({ stage, files: [lines.join('')] });

const honest = (): AttackStage => new AttackStage();

/** Where the first event stands, and the last line of an export. */
const FIRST = 2;

/** With lines that say something else of the file than an honest one. */
function edited(change: (lines: string[], stage: AttackStage) => readonly string[]): () => Attack {
  return () => {
    const stage = honest();
    return fileOf(stage, change(stage.lines(), stage));
  };
}

/** Header and last line say how many events there are. */
function counted(lines: readonly string[]): string[] {
  const count = lines.length - FIRST - 1;
  const header = { ...(JSON.parse(lines[0]!) as object), events: count, sealed: count };
  return [`${JSON.stringify(header)}\n`, ...lines.slice(1, -1), `{"end":${count}}\n`];
}

const renumbered = (lines: readonly string[]): string[] =>
  lines.map((line, at) => line.replace(/^\{"revision":\d+/, `{"revision":${at - FIRST}`));

export const FILE_EDITS: Readonly<Record<string, () => Attack>> = {
  'a text changed': edited((lines) => lines.map((line) => line.replace('answer 2', 'answer 5'))),
  'an event changed': edited((lines) =>
    lines.map((line) => line.replaceAll('"actor":"key_2"', '"actor":"key_1"')),
  ),
  'an event deleted': edited((lines) => counted(lines.toSpliced(5, 1))),
  'an event deleted, the rest renumbered': edited((lines) => renumbered(counted(lines.toSpliced(6, 1)))),
  'an event inserted': edited((lines) =>
    renumbered(counted(lines.toSpliced(6, 0, lines[6]!.replace(/"id":"./, '"id":"g')))),
  ),
  'two events exchanged': edited((lines) => lines.with(6, lines[7]!).with(7, lines[6]!)),
  'two events exchanged, renumbered': edited((lines) =>
    renumbered(lines.with(6, lines[7]!).with(7, lines[6]!)),
  ),
  'an event of another stream': edited((lines, stage) => {
    const other = stage.lines(stage.log.stream('session-ses_a').events);
    return renumbered(lines.with(6, other[6]!));
  }),
  'texts swapped': edited((lines) => {
    const openedAs = (line: string): string => /"salt":.*$/m.exec(line)![0];
    const [a, b] = [openedAs(lines[6]!), openedAs(lines[12]!)];
    return lines
      .with(
        6,
        lines[6]!.replace(a, () => b),
      )
      .with(
        12,
        lines[12]!.replace(b, () => a),
      );
  }),
};

/** Cut behind each event, header and last line right, the proof left. */
export const CUTS: Readonly<Record<string, () => Attack>> = Object.fromEntries(
  Array.from({ length: 18 }, (_, at) => [
    `cut behind revision ${at}`,
    edited((lines) => counted(lines.toSpliced(FIRST + at + 1, 18 - at))),
  ]),
);

const olderDirectory = (): Attack => {
  const stage = honest();
  const [, older] = stage.seals;
  const { seal, note } = stage.newest;
  const index = older!.seal.size - 1;
  const { events } = stage.stream;
  const cut = events.slice(0, 13);
  const lines = stage.lines(cut, { seal: older!.seal, note });
  const proof = JSON.parse(lines[1]!) as { proof: string };
  // Its place in the newest tree, which does include it.
  const head = `c2sp.org/tlog-proof@v1\nindex ${index}\n`;
  const path = stage.pathTo(index, seal.size);
  const body = proof.proof.slice(proof.proof.indexOf('\n\n'));
  return fileOf(stage, lines.with(1, `${JSON.stringify({ ...proof, proof: `${head}${path}${body}` })}\n`));
};

const stripped = (): Attack => {
  const stage = honest();
  return fileOf(stage, stage.lines(stage.stream.events.slice(0, 13), null));
};

/** In another tree, with everything made again. */
const remade = (change: (draft: Draft) => Draft, seed?: number) => (): Attack => {
  const stage = honest();
  return fileOf(stage, stage.another(story().flat().map(change), seed).lines);
};

const lastRun = runIdOf(SESSION, 3);
const relabelled = (draft: Draft): Draft =>
  draft.run === lastRun
    ? {
        ...draft,
        run: 'run_ses_story_x',
        ...(draft.causationId !== undefined && { causationId: 'run_ses_story_x' }),
      }
    : draft;
const backDated = (draft: Draft): Draft => ({ ...draft, time: draft.time - 86_400_000 });
const otherAnswer = (draft: Draft): Draft => ({ ...draft, text: draft.text.replace('answer 1', 'answer 7') });

const withheld = (isLeft: (draft: Draft) => boolean) => (): Attack => {
  const stage = honest();
  return fileOf(stage, stage.another(story().flat().filter(isLeft)).lines);
};

const secondHistory = (): Attack => {
  const stage = honest();
  const other = stage.rewritten(otherAnswer);
  for (const event of other.events) stage.log.pushEvent(other.tag, event);
  return fileOf(stage, stage.lines(other.events, stage.attested(stage.log)));
};

const otherLink = (): Attack => {
  const stage = honest();
  const other = stage.rewritten(otherAnswer);
  const next = other.append({ ...stage.stream.last, type: 'session_retitled', text: '{}' });
  stage.log.pushEvent(other.tag, next);
  return fileOf(stage, stage.lines(other.events, stage.attested(stage.log)));
};

const falseDirectory = (): Attack => {
  const stage = honest();
  const { tag, events } = stage.stream;
  const { revision, link } = events[12]!;
  const heads = new Map(stage.log.heads).set(STREAM_OF_STORY, { tag, revision, link });
  return fileOf(stage, stage.lines(events.slice(0, 13), stage.attested(stage.log, heads)));
};

const fork = (): Attack => {
  const stage = honest();
  const other = stage.another(story().flat().map(otherAnswer));
  return { stage, files: [stage.lines().join(''), other.lines.join('')] };
};

const oldExport = (): Attack => {
  const stage = honest();
  return fileOf(stage, stage.lines(stage.stream.events.slice(0, 13), stage.seals[1]));
};

const changedBefore = (): Attack => {
  const stage = new AttackStage(story().map((part) => part.map(otherAnswer)));
  return fileOf(stage, stage.lines());
};

const destroyed = (): Attack => {
  const erasing: Draft = {
    stream: STREAM_OF_STORY,
    type: 'session_erased',
    text: '{"events":19}',
    time: 1_750_000_900_000,
    isOpen: true,
  };
  const stage = new AttackStage([...story(), [erasing]]);
  const kept = { isDisclosed: ({ isOpen }: Draft) => isOpen === true, isErased: true };
  return fileOf(stage, stage.lines(stage.stream.events, stage.newest, kept));
};

/** By the columns of docs/proof.md: what is reached, or null where it is caught. */
export interface Row {
  readonly title: string;
  readonly attacks: Readonly<Record<string, () => Attack>>;
  readonly expected: readonly [
    none: string | null,
    signed: string | null,
    receipt: string | null,
    witnesses: string | null,
    monitors: string | null,
  ];
  /** Caught by the last two where the auditor says how old it may be. */
  readonly isOld?: boolean;
}

const CAUGHT = null;
export const TABLE: readonly Row[] = [
  { title: 'edits of the file', attacks: FILE_EDITS, expected: [CAUGHT, CAUGHT, CAUGHT, CAUGHT, CAUGHT] },
  { title: 'cuts, the proof left', attacks: CUTS, expected: [CAUGHT, CAUGHT, CAUGHT, CAUGHT, CAUGHT] },
  {
    title: 'an older directory',
    attacks: { olderDirectory },
    expected: [CAUGHT, CAUGHT, CAUGHT, CAUGHT, CAUGHT],
  },
  {
    title: 'cut, the proof stripped',
    attacks: { stripped },
    expected: ['chain', CAUGHT, CAUGHT, CAUGHT, CAUGHT],
  },
  {
    title: 'edits, made again in another tree',
    attacks: {
      relabelled: remade(relabelled),
      backDated: remade(backDated),
      otherAnswer: remade(otherAnswer),
    },
    expected: ['chain', 'signed', CAUGHT, CAUGHT, CAUGHT],
  },
  {
    title: 'the same, under another key',
    attacks: { otherKey: remade(otherAnswer, 99) },
    expected: ['chain', CAUGHT, CAUGHT, CAUGHT, CAUGHT],
  },
  {
    title: 'what is withheld, in another tree',
    attacks: {
      tail: withheld((draft) => draft.run !== lastRun || draft.stream !== STREAM_OF_STORY),
      run: withheld((draft) => draft.run !== runIdOf(SESSION, 2)),
    },
    expected: ['chain', 'signed', CAUGHT, CAUGHT, CAUGHT],
  },
  {
    title: 'a second history',
    attacks: { secondHistory, otherLink },
    expected: ['chain', 'signed', CAUGHT, 'witnessed', CAUGHT],
  },
  {
    title: 'a false directory',
    attacks: { falseDirectory },
    expected: ['chain', 'signed', CAUGHT, 'witnessed', CAUGHT],
  },
  { title: 'a fork', attacks: { fork }, expected: ['chain', 'signed', CAUGHT, CAUGHT, CAUGHT] },
  {
    title: 'an old export',
    attacks: { oldExport },
    expected: ['chain', 'signed', CAUGHT, 'witnessed', 'complete'],
    isOld: true,
  },
  {
    title: 'a change before the first checkpoint',
    attacks: { changedBefore },
    expected: ['chain', 'signed', 'receipted', 'witnessed', 'complete'],
  },
  {
    title: 'keys and content destroyed',
    attacks: { destroyed },
    expected: ['chain', 'signed', 'receipted', 'witnessed', 'complete'],
  },
];
