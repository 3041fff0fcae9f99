import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The page needs nothing from elsewhere: scripts and styles come from the service itself. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI sets styles of its own on elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Annals</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: 'none',
});
`;

interface DocsFile {
  readonly type: string;
  read(): Promise<Buffer>;
}

const ofSwaggerUi = (name: string): (() => Promise<Buffer>) => {
  let reading: Promise<Buffer> | null = null;
  return () => (reading ??= readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)));
};

/** What the page loads, by name. */
export const DOCS_FILES: ReadonlyMap<string, DocsFile> = new Map([
  ['swagger-ui.css', { type: 'text/css; charset=utf-8', read: ofSwaggerUi('swagger-ui.css') }],
  [
    'swagger-ui-bundle.js',
    { type: 'text/javascript; charset=utf-8', read: ofSwaggerUi('swagger-ui-bundle.js') },
  ],
  ['start.js', { type: 'text/javascript; charset=utf-8', read: async () => Buffer.from(START) }],
]);
