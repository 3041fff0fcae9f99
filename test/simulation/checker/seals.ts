import type { RecordedEvent } from '#event-log';
import { parseNote } from '#proof';
import { PROOF_STREAM, proofLogEvent } from '../../../libs/sealer/src/proof-log.js';
import { checkpointOf } from '../../support/proof/sealed-house.js';
import { SIM_ORIGIN, type SharedSeals, withProof } from '../world/sim-seals.js';
import { require } from './evidence.js';

const WHAT = 'I12 what was signed is the log';

/** I12: each seal is signed once and of the log as it is, nothing else was ever told, and all places know the newest. */
export function checkSeals(log: readonly RecordedEvent[], shared: SharedSeals): void {
  const events = log.map(withProof);
  const sealedAt: number[] = [];
  const texts = new Set<string>();
  for (const event of log) {
    const read = event.stream === PROOF_STREAM ? proofLogEvent(event) : null;
    if (read?.type !== 'log_sealed') continue;
    const { seal, events: count, note } = read.data;
    const text = parseNote(note)?.text ?? '';
    if (seal === sealedAt.length && texts.has(text)) continue;
    require(seal === sealedAt.length + 1, WHAT, () => `seal ${seal} comes behind ${sealedAt.length}`);
    sealedAt.push(count);
    require(text === checkpointOf(events, sealedAt, SIM_ORIGIN), WHAT, () =>
      `seal ${seal} is of another log`);
    texts.add(text);
  }
  for (const text of shared.told) require(texts.has(text), WHAT, () => `somebody was told ${text}`);
  const kept = shared.signed.get(SIM_ORIGIN)?.seal ?? 0;
  const { published, stop } = shared.store.row;
  require(stop === null, WHAT, () => `it stopped: ${stop?.detail}`);
  require(kept === sealedAt.length && (published?.seal ?? 0) === kept, WHAT, () =>
    `${kept} kept, ${sealedAt.length} on the log, ${published?.seal} published`);
}
