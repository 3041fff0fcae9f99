import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ComparedTurn, RunComparison, comparedTurn, jsonOrText } from '#projections';
import type { ProjectId } from '#domain';
import { ContentStore } from '#vault';
import { EventLog } from '#event-log';
import type { Weigh } from '#platform';
import { RunQueries, type RunView } from '#read-models';
import { LargeAnswers } from '../../../edge/answers/large-answer.js';
import { RunReading, type RunToRead } from './run-reading.js';

/** Answers with what two runs have in common, of which only the turns at one position are in memory. */
@Injectable()
export class RunDiffs {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
    private readonly runs: RunQueries,
    private readonly large: LargeAnswers,
  ) {}

  /** @throws Problem not_found, overloaded; LogUnavailable; ReadModelsUnavailable */
  async send(reply: FastifyReply, project: ProjectId, a: RunToRead, b: RunToRead): Promise<void> {
    const views = {
      a: await this.runs.get(project, a.run),
      b: await this.runs.get(project, b.run),
    };
    reply.code(200);
    await this.large.send(reply, project, (weigh) => this.pieces(a, b, views, weigh));
  }

  private async *pieces(
    first: RunToRead,
    second: RunToRead,
    views: Pair<RunView>,
    weigh: Weigh,
  ): AsyncGenerator<string> {
    const comparison = new RunComparison();
    const grown = (): Promise<void> => weigh(a.weight + b.weight + comparison.weight);
    const [a, b] = [first, second].map((run) => new RunReading(this.log, run, grown)) as [
      RunReading,
      RunReading,
    ];
    try {
      yield '{"turns":[';
      for (let before = ''; ; before = ',') {
        await a.next();
        await b.next();
        if (a.turn === null && b.turn === null) break;
        await grown();
        const turns = comparison.push(await this.told(a), await this.told(b));
        yield before + JSON.stringify(turns);
      }
      await grown();
      const outputs = { a: await this.outputOf(a), b: await this.outputOf(b) };
      const rest = { ...comparison.verdictOn(outputs), ...figuresOf(views), final_output: outputs };
      yield `],${JSON.stringify(rest).slice(1)}`;
    } finally {
      await Promise.all([a.close(), b.close()]);
    }
  }

  private async told({ turn, of }: RunReading): Promise<ComparedTurn | null> {
    if (turn === null) return null;
    let text = '';
    for (const piece of turn.response) text += await this.contents.textOrNote(of.session, piece);
    return comparedTurn(text, turn.calls);
  }

  private async outputOf({ fold: { finalOutput }, of }: RunReading): Promise<unknown> {
    return finalOutput === null ? null : jsonOrText(await this.contents.textOrNote(of.session, finalOutput));
  }
}

interface Pair<T> {
  readonly a: T;
  readonly b: T;
}

function figuresOf({ a, b }: Pair<RunView>): Readonly<Record<string, Pair<unknown>>> {
  return {
    status: { a: a.status, b: b.status },
    cost: { a: a.cost, b: b.cost },
    usage: { a: a.usage, b: b.usage },
    ms: { a: msOf(a), b: msOf(b) },
  };
}

/** From its start to its end; null: it has not ended, or ended before it started. */
const msOf = ({ started_at: from, ended_at: to }: RunView): number | null =>
  from === null || to === null ? null : Date.parse(to) - Date.parse(from);
