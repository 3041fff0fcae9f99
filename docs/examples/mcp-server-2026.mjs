// A small MCP server of revision 2026-07-28 (and the earlier ones): two tools and a token. Needs @modelcontextprotocol/server and zod.
//   TOKEN=sesame PORT=4100 node docs/examples/mcp-server-2026.mjs
import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';

const stock = new Map([
  ['apple', 12],
  ['pear', 3],
]);

function newServer() {
  const server = new McpServer({ name: 'shop', version: '2.0.0' });
  server.registerTool(
    'stock_of',
    {
      description: 'How many pieces of a product are in stock.',
      inputSchema: z.object({ product: z.string() }),
      // It may be asked again when a connection was lost.
      annotations: { readOnlyHint: true },
    },
    ({ product }) => ({ content: [{ type: 'text', text: String(stock.get(product) ?? 'no such product') }] }),
  );
  server.registerTool(
    'sell',
    {
      description: 'Takes pieces out of the stock.',
      inputSchema: z.object({ product: z.string(), pieces: z.number().int() }),
    },
    ({ product, pieces }) => {
      stock.set(product, (stock.get(product) ?? 0) - pieces);
      return { content: [{ type: 'text', text: `${stock.get(product)} left` }] };
    },
  );
  return server;
}

// Each request gets a server of its own and stands for itself: there are no sessions.
const { fetch } = createMcpHandler(newServer);

// Without one, `Bearer undefined` would do.
if (!process.env.TOKEN) throw new Error('TOKEN must be set');

const http = createServer(async (request, response) => {
  if (request.headers.authorization !== `Bearer ${process.env.TOKEN}`) return response.writeHead(401).end();
  const { method, url, headers } = request;
  const hasBody = method === 'POST';
  const asked = new Request(new URL(url, `http://${headers.host}`), {
    method,
    headers,
    ...(hasBody ? { body: request, duplex: 'half' } : {}),
  });
  const answer = await fetch(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const part of answer.body ?? []) response.write(part);
  response.end();
});
http.listen(Number(process.env.PORT ?? 4100), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${http.address().port}/mcp`);
});
