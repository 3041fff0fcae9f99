import { Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { EventLog } from '#event-log';
import { ContentStore } from '#vault';
import { AnswerRoom } from '../../edge/answers/answer-room.js';
import type { Exchange } from './exchange.js';
import { type RunResult, runResult } from './results.js';
import type { RunReading } from './run-reading.js';
import { Weighing } from './weighing.js';

/** Makes results of runs, with the text that they ended with. */
@Injectable()
export class RunResults {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
    private readonly room: AnswerRoom,
  ) {}

  /** @throws Problem not_found: erased; overloaded; LogUnavailable */
  async of(reading: RunReading, exchange: Exchange): Promise<CallToolResult> {
    const { run, session, status, cost, error } = reading;
    const response = await this.textOf(reading, exchange);
    const result: RunResult = { run_id: run, session, status, response, cost, error };
    return runResult(result);
  }

  private async textOf({ response, session }: RunReading, exchange: Exchange): Promise<string> {
    const weighing = Weighing.of(this.room, exchange);
    const { log, contents } = this;
    let text = '';
    for await (const piece of response.pieces({ log, contents }, session, weighing.weigh)) {
      text += piece;
      await weighing.keep(piece.length);
    }
    return text;
  }
}
