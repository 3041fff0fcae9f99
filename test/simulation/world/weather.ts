import type { Tape } from '../engine/tape.js';
import type { Parts } from './parts.js';

/** The highest rates of each fault, per mille of the occasions on which it may happen. */
const WORST = {
  appendRefused: 120,
  appendStoredAnswerLost: 150,
  appendLost: 100,
  appendZombie: 100,
  appendSilent: 60,
  answerDelayed: 300,
  readRefused: 100,
  readStale: 400,
  smallPages: 1000,
  feedDropped: 200,
  feedDuplicated: 300,
  feedBehind: 400,
  modelTransient: 150,
  modelTooLong: 40,
  modelRefused: 30,
  modelCut: 120,
  modelStall: 60,
  abortLate: 300,
  toolError: 120,
  toolStall: 60,
  toolLateEffect: 300,
  fileSlow: 500,
  databaseRefused: 100,
  databaseAnswerLost: 100,
  crash: 25,
  pause: 25,
  full: 6,
  takeOver: 60,
  clientGone: 60,
  clientSlow: 300,
  /** How often the oldest entry is not the next one. */
  disorder: 1000,
} as const;

/** Faults of what only some worlds have. */
const WORST_OF_PARTS = {
  flows: { serverDown: 100 },
  tasks: { indexRefused: 200, indexLate: 500 },
  callbacks: {
    receiver500: 150,
    receiverHangs: 60,
    receiverResets: 100,
    receiverForgets: 100,
    receiverRedirects: 60,
    receiverGone: 15,
    receiverAsksPatience: 100,
  },
  erasures: { keysRefused: 200, keysAnswerLost: 150 },
  long: { summaryEmpty: 200, summaryTooLong: 200 },
} as const;

type PartFault<P extends keyof typeof WORST_OF_PARTS> = P extends unknown
  ? keyof (typeof WORST_OF_PARTS)[P]
  : never;
export type Fault = keyof typeof WORST | PartFault<keyof typeof WORST_OF_PARTS>;
export type Weather = Readonly<Record<Fault, number>>;

/** Swarm: each world has some of the faults, at rates of its own; some worlds are nearly calm. */
export function drawWeather(tape: Tape, parts: Parts): Weather {
  const isRough = tape.choose(4) > 0;
  const draw = (faults: object): [string, number][] =>
    Object.entries(faults as Record<string, number>).map(([fault, worst]) => {
      const share = isRough && tape.choose(2) > 0 ? tape.choose(1000) / 1000 : 0;
      return [fault, Math.round(worst * share)];
    });
  const none = (faults: object) => Object.keys(faults).map((fault): [string, number] => [fault, 0]);
  const always = draw(WORST);
  const ofParts = Object.entries(WORST_OF_PARTS).flatMap(([part, faults]) =>
    parts[part as keyof Parts] ? draw(faults) : none(faults),
  );
  return Object.fromEntries([...always, ...ofParts]) as Weather;
}
