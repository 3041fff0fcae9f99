import type { Search } from './search.js';
import { type KnowledgeTool, failed, fieldOf } from './tool.js';

const DEFAULT_PASSAGES = 6;
const MAX_PASSAGES = 20;

/** `search_<name>`: the passages of a datastore that fit a question best. */
export function searchTool(
  name: string,
  { id, label, exists }: { id: string; label: string; exists: () => Promise<boolean> },
  search: Search,
): KnowledgeTool {
  return {
    definition: {
      name,
      description: `Searches the documents of "${label}". Returns the passages that fit best, each with its file and page. Quote "a phrase" to find it as it stands; end a word with * to find all words that begin so.`,
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for, in a few words' },
          limit: { type: 'integer', minimum: 1, maximum: MAX_PASSAGES, description: 'How many passages' },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
    isRepeatable: true,
    call: async (input) => {
      const query = fieldOf(input, 'query');
      if (typeof query !== 'string' || query.trim() === '') return failed('query: must be a text');
      if (!(await exists())) return failed('the datastore was deleted');
      const items = await search.search(id, query, passagesOf(fieldOf(input, 'limit')));
      const passages = items.map(({ filename, page, text }) => ({ filename, page, text }));
      return { content: JSON.stringify(passages.length > 0 ? { passages } : NOTHING) };
    },
  };
}

const NOTHING = { passages: [], note: 'nothing was found; try other words' };

const passagesOf = (limit: unknown): number =>
  typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), MAX_PASSAGES) : DEFAULT_PASSAGES;
