import { posix } from 'node:path';
import { attribute, readXml } from './xml.js';
import type { ZipParts } from './zip.js';

export interface Relation {
  readonly id: string;
  readonly type: string;
  /** Name of a part. */
  readonly target: string;
}

/** What a part refers to. */
export function relationsOf(zip: ZipParts, part: string): readonly Relation[] {
  const folder = posix.dirname(part);
  const bytes = zip.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  const relations: Relation[] = [];
  if (bytes === null) return relations;
  readXml(bytes, {
    open: (name, attributes) => {
      if (name !== 'Relationship' || attribute(attributes, 'TargetMode') === 'External') return;
      const target = attribute(attributes, 'Target') ?? '';
      relations.push({
        id: attribute(attributes, 'Id') ?? '',
        type: attribute(attributes, 'Type') ?? '',
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relations;
}
