// A small MCP server over Streamable HTTP: two tools and a token. Needs @modelcontextprotocol/sdk and zod.
//   TOKEN=sesame PORT=4100 node docs/examples/mcp-server.mjs
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const stock = new Map([
  ['apple', 12],
  ['pear', 3],
]);

function newServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool(
    'stock_of',
    {
      description: 'How many pieces of a product are in stock.',
      inputSchema: { product: z.string() },
      // It may be asked again when a connection was lost.
      annotations: { readOnlyHint: true },
    },
    ({ product }) => ({ content: [{ type: 'text', text: String(stock.get(product) ?? 'no such product') }] }),
  );
  server.registerTool(
    'sell',
    {
      description: 'Takes pieces out of the stock.',
      inputSchema: { product: z.string(), pieces: z.number().int() },
    },
    ({ product, pieces }) => {
      stock.set(product, (stock.get(product) ?? 0) - pieces);
      return { content: [{ type: 'text', text: `${stock.get(product)} left` }] };
    },
  );
  return server;
}

// Without one, `Bearer undefined` would do.
if (!process.env.TOKEN) throw new Error('TOKEN must be set');

const http = createServer(async (request, response) => {
  if (request.headers.authorization !== `Bearer ${process.env.TOKEN}`) return response.writeHead(401).end();
  // Without sessions: each request stands for itself, so the server may be restarted at any time.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await newServer().connect(transport);
  await transport.handleRequest(request, response);
});
http.listen(Number(process.env.PORT ?? 4100), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${http.address().port}/mcp`);
});
