import type { Block } from './passage.js';
import { chartBlocks } from './office-chart.js';
import { diagramBlocks } from './office-diagram.js';
import { relationsOf } from './office-package.js';
import { paragraphsIn } from './office-paragraphs.js';
import { pictureBlocks } from './office-picture.js';
import type { Warn } from './warnings.js';
import { readXml, relationId } from './xml.js';
import type { ZipParts } from './zip.js';

/** What lies upon a sheet: text boxes, charts, diagrams, pictures. */
export async function* drawingBlocks(
  zip: ZipParts,
  part: string,
  page: number | null,
  warn: Warn,
): AsyncGenerator<Block> {
  const bytes = zip.read(part);
  if (bytes === null) return warn('unreadable_part', 'a drawing is missing in the file', page);
  yield* paragraphsIn(bytes, page);
  const ids: string[] = [];
  readXml(bytes, {
    open: (name, attributes) => {
      const id = referenceOf(name, attributes);
      if (id !== undefined) ids.push(id);
    },
  });
  const targets = new Map(relationsOf(zip, part).map((relation) => [relation.id, relation]));
  for (const id of ids) yield* relatedBlocks(zip, targets.get(id), page, warn);
}

/** The relation that an element of a drawing stands for. */
export function referenceOf(name: string, attributes: Readonly<Record<string, string>>): string | undefined {
  if (name === 'chart' || name === 'imagedata') return relationId(attributes);
  if (name === 'blip') return relationId(attributes, 'embed');
  return name === 'relIds' ? relationId(attributes, 'dm') : undefined;
}

/** The text of a part that another one shows: a chart, a diagram, a picture. */
export async function* relatedBlocks(
  zip: ZipParts,
  relation: { readonly type: string; readonly target: string } | undefined,
  page: number | null,
  warn: Warn,
): AsyncGenerator<Block> {
  if (relation === undefined) return;
  const { type, target } = relation;
  const kind = type.slice(type.lastIndexOf('/') + 1);
  if (!['chart', 'chartEx', 'diagramData', 'image'].includes(kind) || !zip.isNew(target)) return;
  const bytes = zip.read(target);
  if (bytes === null) return warn('unreadable_part', `a ${kind} is missing in the file`, page);
  if (kind === 'image') yield* pictureBlocks(bytes, target, page, warn);
  else if (kind === 'diagramData') yield* diagramBlocks(bytes, page);
  else yield* chartBlocks(bytes, page);
}
