import { EventStreams, SessionExport, SessionLog } from '#delivery';
import type { Settings } from '#platform';
import type { ContentStore } from '#vault';
import { ConsoleCookie } from '../edge/admission/console-cookie.js';
import { AnswerRoom } from '../edge/answers/answer-room.js';
import { OpenStreams } from '../edge/answers/socket-sink.js';
import { PublicAddress } from '../edge/public-address.js';
import { ConsoleTerms } from '../features/console-auth/console-terms.js';
import { programVersion } from '../version.js';
import type { Foundation } from './open-foundation.js';
import type { Proof } from './open-proof.js';

export interface Answering {
  readonly streams: EventStreams;
  readonly sessionLog: SessionLog;
  readonly sessionExport: SessionExport;
  readonly openStreams: OpenStreams;
  readonly answerRoom: AnswerRoom;
  readonly address: PublicAddress;
  readonly consoleCookie: ConsoleCookie;
  readonly consoleTerms: ConsoleTerms;
}

/** What answers are made with. */
export function answeringOf(
  { log, keys, clock }: Foundation,
  contents: ContentStore,
  settings: Settings,
  proof: Proof,
): Answering {
  const sessionExport = new SessionExport({
    log,
    keys,
    clock,
    contents,
    proofs: proof.reader,
    origin: () => ({ origin: proof.keys.origin, keys: proof.keys.active.map(({ vkey }) => vkey) }),
  });
  const streams = new EventStreams(log, contents);
  const sessionLog = new SessionLog(log, keys, contents);
  const openStreams = new OpenStreams(clock);
  const answerRoom = new AnswerRoom(settings.maxAnswersBytes, clock);
  const address = new PublicAddress(settings.statedPublicUrl);
  const consoleCookie = new ConsoleCookie(settings);
  const consoleTerms = new ConsoleTerms(programVersion(), settings.openai === null);
  return {
    sessionExport,
    streams,
    sessionLog,
    openStreams,
    answerRoom,
    address,
    consoleCookie,
    consoleTerms,
  };
}
