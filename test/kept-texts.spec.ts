import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** What a module keeps for as long as the process lives: by what, and what bounds it. A caller's text is not a bound. */
const KEPT: Readonly<Record<string, string>> = {
  'apps/server/src/edge/openapi/json-schema.ts definitions': 'weak',
  'apps/server/src/edge/validation/dto-fields.ts known': 'weak',
  'apps/server/src/edge/validation/field-notes.ts noted': 'weak',
  'libs/agent/src/model/request-chars.ts known': 'weak',
  'libs/json-schema/src/ajv-engine.ts metaEngines': 'by draft, of which there are two',
  'libs/json-schema/src/compile-schema.ts cache': 'by schema: 64, of at most MAX_SCHEMA_BYTES',
  'libs/openai-model/src/chat-body.ts written': 'weak',
  'libs/openai-model/src/offered-tools.ts made': 'by name of a tool, of at most 64 characters: 1,000',
  'libs/openai-model/src/plain-tools.ts keys': 'weak',
  'libs/openai-model/src/plain-tools.ts made': 'weak',
  'libs/openai-model/src/sent-message.ts made': 'weak',
  'libs/domain/src/tasks/schedule.ts parsed': 'by expression and zone: 200',
  'libs/domain/src/tasks/wall-clock.ts dayOffsets': 'by zone, spelled in one way, and day: 20,000',
  'libs/domain/src/tasks/zones.ts formats': 'by zone, spelled in one way: 200',
  'libs/event-log/src/codec.ts metaTexts': 'weak',
  'libs/eventstoredb/src/append-request.ts headers': 'by type of event: 1,000',
  'libs/eventstoredb/src/wire-event.ts metaTexts': 'weak',
  'libs/vault/src/keys/stream-keys.ts keyedMetas': 'weak',
  'libs/vault/src/keys/stream-keys.ts openMetas': 'weak',
  'libs/extraction/src/language.ts byWord': 'by word of the lists in the code',
};

/** A table at the level of a module that is empty at first: something is put into it later. */
const STORE = /^(?:export )?(?:const|let) (\w+)(?:: [^=\n]+)? = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\);/gm;
/** Never written to. */
const CONSTANT = /: (?:ReadonlyMap|ReadonlySet|KeyIds)\b/;

/** A page of the console lives as long as its tab. */
const found = ['libs', 'apps'].flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .map((file) => join(room, file))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.startsWith('apps/console/'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(STORE)]
        .filter(([line]) => !CONSTANT.test(line))
        .map(([, name]) => `${file} ${name}`),
    ),
);

describe('what a module keeps for as long as the process lives', () => {
  it('has a bound that no caller sets', () => {
    expect(found.toSorted()).toEqual(Object.keys(KEPT).toSorted());
  });
});
