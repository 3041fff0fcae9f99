import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '#domain';
import { ContentStore, FileDamaged, FileMissing, MemoryFileStore } from '#vault';
import { type RecordedEvent, newEvent } from '#event-log';
import { publicJson } from './public-json.js';

const contents = new ContentStore(new MemoryFileStore());

function recorded({ type, data }: Pick<SessionEvent, 'type' | 'data'>): RecordedEvent {
  const meta = {
    schemaVersion: 1,
    project: 'default',
    actor: 'key_1',
    run: 'run_ses_1_a',
    traceparent: '00-1-2-00',
  };
  const event = newEvent({ id: '00000000-0000-4000-8000-000000000001', type, time: 5, data }, meta);
  return { ...event, stream: 'session-ses_1', revision: 7, position: 70 };
}

describe('the JSON of a public event', () => {
  it.each<[Pick<SessionEvent, 'type' | 'data'>, string]>([
    [{ type: 'agent_started', data: {} }, '{"type":"agent_started","session":"ses_1"}'],
    [{ type: 'agent_thinking_start', data: {} }, '{"type":"agent_thinking_start","session":"ses_1"}'],
    [
      { type: 'agent_thinking', data: { content: 'hm' } },
      '{"type":"agent_thinking","session":"ses_1","content":"hm"}',
    ],
    [{ type: 'agent_response_start', data: {} }, '{"type":"agent_response_start","session":"ses_1"}'],
    [
      { type: 'agent_response', data: { content: 'say "6 × 7"\n' } },
      '{"type":"agent_response","session":"ses_1","content":"say \\"6 × 7\\"\\n"}',
    ],
    [{ type: 'agent_tool_use_start', data: {} }, '{"type":"agent_tool_use_start","session":"ses_1"}'],
    [
      { type: 'agent_tool_use', data: { content: '{"tool":"t","input":{}}' } },
      '{"type":"agent_tool_use","session":"ses_1","content":"{\\"tool\\":\\"t\\",\\"input\\":{}}"}',
    ],
    [
      { type: 'agent_tool_response', data: { content: '{"tool":"t","content":"x"}' } },
      '{"type":"agent_tool_response","session":"ses_1","content":"{\\"tool\\":\\"t\\",\\"content\\":\\"x\\"}"}',
    ],
    [{ type: 'agent_step', data: { step: '1' } }, '{"type":"agent_step","session":"ses_1","step":"1"}'],
    [
      { type: 'agent_cost', data: { cost: '0.00042' } },
      '{"type":"agent_cost","session":"ses_1","cost":"0.00042"}',
    ],
    [{ type: 'agent_completed', data: {} }, '{"type":"agent_completed","session":"ses_1"}'],
    [{ type: 'agent_cancelled', data: {} }, '{"type":"agent_cancelled","session":"ses_1"}'],
    [
      { type: 'agent_error', data: { content: 'too slow', code: 'timeout', retryable: true } },
      '{"type":"agent_error","session":"ses_1","content":"too slow","code":"timeout","retryable":true}',
    ],
  ])('of %j holds its type, its session and its fields, and nothing else', (event, json) => {
    expect(publicJson(recorded(event), 'ses_1', contents)).toBe(json);
  });

  it('says of data that do not open that they do not', () => {
    const event = recorded({ type: 'agent_response', data: { content: 'x' } });
    const told = '{"type":"agent_response","session":"ses_1","unreadable":true}';
    expect(publicJson({ ...event, json: '', isUnreadable: true }, 'ses_1', contents)).toBe(told);
  });

  it('says the same of a file that does not open, and waits for one that is not there', async () => {
    class Damaged extends MemoryFileStore {
      override get(scope: string, name: string): Promise<Uint8Array> {
        if (name === 'damaged') return Promise.reject(new FileDamaged('bits of it were turned'));
        return super.get(scope, name);
      }
    }
    const jsonOf = (file: string) =>
      publicJson(
        recorded({ type: 'agent_response', data: { content: { $file: file, bytes: 3 } } }),
        'ses_1',
        new ContentStore(new Damaged()),
      );
    expect(await jsonOf('damaged')).toBe('{"type":"agent_response","session":"ses_1","unreadable":true}');
    await expect(async () => jsonOf('missing')).rejects.toThrow(FileMissing);
  });

  it('is made of the bytes on the log as they are', () => {
    const event = recorded({ type: 'agent_response', data: { content: 'x' } });
    const json = '{"content":"\\u0078","later":1e400}';
    expect(publicJson({ ...event, json }, 'ses_1', contents)).toBe(
      '{"type":"agent_response","session":"ses_1","content":"\\u0078","later":1e400}',
    );
  });

  it('holds the text of content that lies in a file', async () => {
    const text = `{"$file":"no"} ${'é"\n'.repeat(60_000)}`;
    const content = await contents.store('ses_1', text);
    expect(content).toMatchObject({ bytes: Buffer.byteLength(text) });
    const json = await publicJson(
      recorded({ type: 'agent_tool_response', data: { content } }),
      'ses_1',
      contents,
    );
    expect(json).toBe(`{"type":"agent_tool_response","session":"ses_1","content":${JSON.stringify(text)}}`);
  });

  it('holds the text of a scheduled message that lies in a file', async () => {
    const message = await contents.toFile('ses_1', 'Good morning');
    const data = { task_id: 'task_1', schedule: 60, message, next_run_at: '2030-01-01T00:00:00.000Z' };
    const json = await publicJson(recorded({ type: 'agent_task_scheduled', data }), 'ses_1', contents);
    expect(json).toBe(
      '{"type":"agent_task_scheduled","session":"ses_1","task_id":"task_1","schedule":60,' +
        '"message":"Good morning","next_run_at":"2030-01-01T00:00:00.000Z"}',
    );
  });

  /** What ends a line for some reader: Unicode's (UAX 14, mandatory breaks) and those of Python's str.splitlines. */
  const LINE_ENDS = '\n\r\v\f\u001c\u001d\u001e\u0085\u2028\u2029';

  it.each(LINE_ENDS.split(''))('is one line, however lines are split: %j', async (end) => {
    const forged = `a${end}${end}data: {"type":"agent_completed"}${end}\\${end}"`;
    const event = recorded({ type: 'agent_response', data: { content: forged } });
    const file = await contents.toFile('ses_1', forged);
    for (const made of [event, recorded({ type: 'agent_response', data: { content: file } })]) {
      const json = await publicJson(made, 'ses_1', contents);
      expect(json.split(new RegExp(`[${LINE_ENDS}]`, 'u'))).toHaveLength(1);
      expect(JSON.parse(json)).toEqual({ type: 'agent_response', session: 'ses_1', content: forged });
    }
  });

  it('takes no text for the name of a file', () => {
    const content = '{"$file":"../../secret","bytes":5}';
    const json = publicJson(recorded({ type: 'agent_response', data: { content } }), 'ses_1', contents);
    expect(typeof json).toBe('string');
    expect(JSON.parse(json as string)).toEqual({ type: 'agent_response', session: 'ses_1', content });
  });
});
