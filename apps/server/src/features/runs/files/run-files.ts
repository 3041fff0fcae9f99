import { Injectable } from '@nestjs/common';
import {
  Cursors,
  type ListPage,
  type ResultFile,
  isCount,
  isEndType,
  knownSessionEvent,
  notFound,
  pageOf,
  sessionStream,
} from '#domain';
import { EventLog, type RecordedEvent } from '#event-log';
import { ContentStore, FileDamaged, FileMissing } from '#vault';
import type { EventsPlace } from '../shared/event-answers.js';

/** A file as the list of its run shows it. */
export interface RunFileView {
  readonly file_id: string;
  readonly tool: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly name: string | null;
  readonly created_at: string;
}

/** The place of a file in the order of its run: 1, 2, 3 … */
const CURSORS = new Cursors<number>(
  'run files',
  (place) => [place, 0],
  ([place]) => (isCount(place) ? place : null),
);

interface FoundFile {
  readonly file: ResultFile;
  /** When the result came, in ms since 1970. */
  readonly time: number;
}

/** The files that the tools of a run brought, from the log, in the order in which they came. */
@Injectable()
export class RunFiles {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
  ) {}

  /** @throws Problem not_found: the session is erased; invalid_request: the cursor; LogUnavailable */
  async list(place: EventsPlace, limit: number, cursor?: string): Promise<ListPage<RunFileView>> {
    const { session, run } = place;
    const skipped = CURSORS.decode(cursor, { session, run }) ?? 0;
    const found: RunFileView[] = [];
    let count = 0;
    for await (const one of this.filesOf(place)) {
      if (++count <= skipped) continue;
      found.push(viewOf(one));
      if (found.length > limit) break;
    }
    return pageOf(found, limit, () => CURSORS.encode(skipped + limit, { session, run }));
  }

  /** @throws Problem not_found; LogUnavailable */
  async get(place: EventsPlace, id: string): Promise<ResultFile> {
    for await (const { file } of this.filesOf(place)) if (file.id === id) return file;
    throw notFound('the file');
  }

  /** @throws Problem not_found: it is erased; FileDamaged; LogUnavailable */
  async bytes({ session }: EventsPlace, { file }: ResultFile): Promise<Uint8Array> {
    try {
      return await this.contents.bytes(session, file);
    } catch (error) {
      if (error instanceof FileMissing && !(error instanceof FileDamaged)) throw notFound('the file');
      throw error;
    }
  }

  /** Each once, however many results brought it. */
  private async *filesOf({ session, run, before }: EventsPlace): AsyncGenerator<FoundFile> {
    const seen = new Set<string>();
    for await (const page of this.log.readStream(sessionStream(session), { after: before }))
      for (const event of page) {
        if (event.isErased === true || event.type === 'session_erased') throw notFound('the run');
        if (event.meta.run !== run) continue;
        for (const file of filesIn(event)) {
          if (seen.has(file.id)) continue;
          seen.add(file.id);
          yield { file, time: event.time };
        }
        if (isEndType(event.type)) return;
      }
  }
}

function filesIn(event: RecordedEvent): readonly ResultFile[] {
  if (event.type !== 'tool_call_completed' || !event.json.includes('"files"')) return [];
  const known = knownSessionEvent(event);
  return known?.type === 'tool_call_completed' ? (known.data.files ?? []) : [];
}

const viewOf = ({ file: { id, file, media_type, tool, name }, time }: FoundFile): RunFileView => ({
  file_id: id,
  tool,
  media_type,
  bytes: file.bytes,
  name: name ?? null,
  created_at: new Date(time).toISOString(),
});
