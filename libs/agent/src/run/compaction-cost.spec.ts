import { describe, expect, it } from '@jest/globals';
import { type Draft } from '#domain';
import { DraftSink } from '../../../../test/support/draft-sink.js';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import { Compaction } from './compaction.js';
import type { RunRecord } from './run-record.js';

const called = { type: 'model_called', data: { kind: 'compaction', cost: '1' } } as unknown as Draft;

/** A run whose context is too full, and always has something to leave out. */
function fullRun() {
  const sink = new DraftSink();
  const scale = { tokensOf: () => Infinity, charsOf: () => 1_000 };
  const record = {
    state: { model: 'm', mode: 'base', config: {} },
    context: { scale, messages: [], planned: () => ({ from: '1', through: '2' }) },
    settled: () => Promise.resolve(),
    write: (drafts: readonly Draft[]) => sink.write(drafts),
  } as unknown as RunRecord;
  return { record, sink };
}

describe('a summary of a run that is cancelled while it is told', () => {
  it('is left out, but for what it cost', async () => {
    const { record, sink } = fullRun();
    const controller = new AbortController();
    const take = () => {
      controller.abort(new Error('cancelled meanwhile'));
      return Promise.resolve({ calls: [called], data: {} });
    };
    const compaction = new Compaction(record, { take } as unknown as ModelTurn);
    const request = (): TurnRequest => ({ messages: [] }) as unknown as TurnRequest;
    const asked = compaction.ask(request, () => Promise.reject(new Error('asked')), controller.signal);
    await expect(asked).rejects.toThrow('cancelled meanwhile');
    expect(sink.drafts).toEqual([called]);
  });
});
