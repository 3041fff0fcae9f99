import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogUnavailable } from '#event-log';
import { MemoryFileStore } from '#vault';
import { Logger, SilentLogger } from '#platform';
import { type DriveOptions, DriveFixture } from '../../../../test/support/drive-fixture.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { behind } from '../../../../test/support/scripted-log.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { done, text, toolCall } from '../../../../test/support/scripted-client.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { RunCancelled, RunStopped } from './run-end.js';
import { ModelFailure } from '../model/model-client.js';
import { ClaimLost } from './run-writer.js';

let temp: TempLog;
let count = 0;
const start = (options: DriveOptions) => DriveFixture.open(temp, `ses_e${++count}`, options);
const streaming = { config: { streaming_tokens: true } };
const aborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const CANCELLED = ['agent_cost {"cost":"0"}', 'agent_cancelled'];
const typesOf = async (fixture: DriveFixture) => (await fixture.lines()).map((line) => line.split(' ')[0]);

describe('a cancel', () => {
  it('before anything was said ends the run without asking the model', async () => {
    const fixture = await start({ script: [[text('a'), done()]] });
    fixture.controller.abort(new RunCancelled());
    await expect(fixture.driver.drive()).resolves.toEqual({ kind: 'cancelled' });
    expect(await fixture.lines()).toEqual(CANCELLED);
  });

  it('ends the run while the model hangs', async () => {
    const fixture = await start({ script: [['hang']] });
    const ended = fixture.driver.drive();
    await fixture.model.asked(1);
    fixture.controller.abort(new RunCancelled());
    await expect(ended).resolves.toEqual({ kind: 'cancelled' });
    expect(await fixture.lines()).toEqual(CANCELLED);
  });

  it('keeps what was shown of an answer', async () => {
    const fixture = await start({ script: [[text('6 x'), 'hang']], request: streaming });
    const ended = fixture.driver.drive();
    await fixture.heard('agent_response');
    fixture.controller.abort(new RunCancelled());
    await ended;
    expect(await fixture.lines()).toEqual([
      'agent_response_start',
      'agent_response {"content":"6 x"}',
      ...CANCELLED,
    ]);
  });

  it('ends the wait before the model is asked again', async () => {
    const fixture = await start({ script: [[new ModelFailure('transient', 'busy')], [done()]] });
    const ended = fixture.driver.drive();
    await fixture.at.clock.timerWithin(10_000);
    fixture.controller.abort(new RunCancelled());
    await ended;
    expect(await fixture.lines()).toEqual(['model_turn_failed {"attempt":1,"error":"busy"}', ...CANCELLED]);
    expect(fixture.at.clock.pending).toEqual([]);
  });

  it('ends the run while tools are at work, keeping the results that are there', async () => {
    const quick = new LedgerTool('quick');
    const slow = new LedgerTool('slow', { act: (_, signal) => aborted(signal) });
    const script = [[done(toolCall('c1', 'slow'), toolCall('c2', 'quick'))]];
    const fixture = await start({ script, tools: [slow, quick] });
    const ended = fixture.driver.drive();
    await fixture.heard('tool_call_completed');
    fixture.controller.abort(new RunCancelled());
    await ended;
    expect((await fixture.lines()).slice(7)).toEqual([
      'tool_call_completed {"call_id":"c2","content":"quick did {}"}',
      ...CANCELLED,
    ]);
  });

  it('that comes with the intent on the log prevents the call', async () => {
    const tool = new LedgerTool('pay');
    const fixture = await start({ script: [[done(toolCall('c1', 'pay'))]], tools: [tool] });
    fixture.at.log.next(
      behind(() => {
        fixture.controller.abort(new RunCancelled());
        return Promise.resolve();
      }),
    );
    await expect(fixture.driver.drive()).resolves.toEqual({ kind: 'cancelled' });
    expect(tool.calls).toEqual([]);
    expect(await typesOf(fixture)).toEqual([
      'tools_offered',
      'model_called',
      'model_turn_completed',
      'agent_tool_use_start',
      'agent_tool_use',
      'agent_cost',
      'agent_cancelled',
    ]);
  });
});

describe('the time limit of a run', () => {
  it('ends it, retryable', async () => {
    const fixture = await start({ script: [['hang']] });
    const ended = fixture.driver.drive();
    await fixture.model.asked(1);
    fixture.at.clock.advance(599_999);
    await fixture.at.settled();
    expect(fixture.controller.signal.aborted).toBe(false);
    fixture.at.clock.advance(1);
    await ended;
    expect(await fixture.lines()).toEqual([
      'agent_cost {"cost":"0"}',
      'agent_error {"content":"the run took longer than 600 s","code":"timeout","retryable":true}',
    ]);
  });

  it('is forgotten at the end of the run', async () => {
    const fixture = await start({ script: [[done()]] });
    await fixture.driver.drive();
    expect(fixture.at.clock.pending).toEqual([]);
  });
});

describe('a fault of our own', () => {
  it('ends the run without its details, which go to the log of the operator', async () => {
    const errors: object[] = [];
    class Errors extends SilentLogger {
      override error(fields?: object): void {
        if (fields) errors.push(fields);
      }
    }
    const logger: Logger = new Errors();
    const bug = new TypeError('secret is undefined');
    const fixture = await start({ script: [[text('a'), bug]], logger, request: streaming });
    await expect(fixture.driver.drive()).resolves.toMatchObject({ kind: 'failed', code: 'internal' });
    expect((await fixture.lines()).slice(-2)).toEqual([
      'agent_cost {"cost":"0"}',
      'agent_error {"content":"the service failed","code":"internal","retryable":true}',
    ]);
    expect(errors).toEqual([{ err: bug, run: fixture.at.run }]);
  });
});

describe('something that no log would take', () => {
  it('ends the run instead of beginning it anew', async () => {
    const refused = { type: 'agent_response', data: { content: 'x'.repeat(300_000) } } as const;
    const write = () => Promise.resolve(fixture.record.write([refused]));
    const fixture: DriveFixture = await start({ script: [[write, 'hang']] });
    await expect(fixture.driver.drive()).resolves.toMatchObject({ kind: 'failed', code: 'internal' });
    expect(await typesOf(fixture)).toEqual(['agent_cost', 'agent_error']);
    expect(fixture.model.requests).toHaveLength(1);
  });

  it('is not what a model tells of its failure', async () => {
    const fixture = await start({ script: [[new ModelFailure('refused', 'x'.repeat(400_000))]] });
    await expect(fixture.driver.drive()).resolves.toMatchObject({ code: 'model_unavailable' });
    expect((await typesOf(fixture)).slice(-2)).toEqual(['agent_cost', 'agent_error']);
  });
});

describe('a file that cannot be kept now', () => {
  class BusyFiles extends MemoryFileStore {
    override put(): Promise<string> {
      return Promise.reject(new LogUnavailable('busy'));
    }
  }

  it('breaks the drive off, and does not fail the run: whoever began it goes on from the log', async () => {
    const tool = new LedgerTool('t', { act: () => Promise.resolve('x'.repeat(200_000)) });
    const script = [[done(toolCall('c', 't'))], [text('never'), done()]] as const;
    const fixture = await start({ script, tools: [tool], files: new BusyFiles() });
    await expect(fixture.driver.drive()).rejects.toThrow(LogUnavailable);
    const types = await typesOf(fixture);
    expect(types).toContain('agent_tool_use');
    expect(types).not.toContain('agent_error');
  });
});

describe('a run that is no longer ours to drive', () => {
  const takeOver = (fixture: DriveFixture) =>
    fixture.at.rival(fixture.at.run, { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 1 } });

  it('stops silently when the next append finds another claim', async () => {
    const fixture = await start({ script: [[text('a'), done()]] });
    fixture.at.log.next(behind(() => takeOver(fixture)));
    await expect(fixture.driver.drive()).resolves.toBeNull();
    expect(await typesOf(fixture)).toEqual(['run_claimed']);
  });

  it('stops silently while the model hangs', async () => {
    const fixture = await start({ script: [['hang']] });
    const ended = fixture.driver.drive();
    await fixture.model.asked(1);
    fixture.controller.abort(new ClaimLost(fixture.at.run));
    await expect(ended).resolves.toBeNull();
    expect(await fixture.lines()).toEqual([]);
  });

  it('calls no tool whose intent another worker may have seen', async () => {
    const tool = new LedgerTool('pay');
    const fixture = await start({ script: [[done(toolCall('c1', 'pay'))]], tools: [tool] });
    fixture.at.log.next(behind(() => takeOver(fixture)));
    await expect(fixture.driver.drive()).resolves.toBeNull();
    expect(tool.calls).toEqual([]);
  });
});

describe('a service that stops', () => {
  it('leaves the run where it is, what was said being on the log', async () => {
    const fixture = await start({ script: [[text('6 x'), 'hang']], request: streaming });
    const ended = fixture.driver.drive();
    await fixture.heard('agent_response');
    fixture.controller.abort(new RunStopped());
    await expect(ended).resolves.toBeNull();
    expect(await typesOf(fixture)).toEqual(['agent_response_start', 'agent_response']);
  });

  it('lets a run that is drained come to the end of its turn and its calls', async () => {
    const gate = new Gate();
    const tool = new LedgerTool('t', { act: () => gate.arrive().then(() => 'done') });
    const fixture = await start({
      script: [[done(toolCall('c', 't'))], [text('never'), done()]],
      tools: [tool],
    });
    const ended = fixture.driver.drive();
    await gate.reached;
    fixture.driver.drain();
    gate.open();
    await expect(ended).resolves.toBeNull();
    expect((await typesOf(fixture)).slice(-3)).toEqual([
      'tool_call_completed',
      'agent_tool_response',
      'agent_step',
    ]);
    expect(fixture.model.requests).toHaveLength(1);
  });

  it('lets a drained run end that has nothing more to ask', async () => {
    const gate = new Gate();
    const fixture = await start({ script: [[text('42'), gate, done()]] });
    const ended = fixture.driver.drive();
    await gate.reached;
    fixture.driver.drain();
    gate.open();
    await expect(ended).resolves.toEqual({ kind: 'completed' });
  });
});
