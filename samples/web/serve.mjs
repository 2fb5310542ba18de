// Serves one folder on this machine's loopback address, for the page and for its tests.
//
//   node serve.mjs FOLDER [PORT]
//
// Port 0 (the default here) takes any free one. Nothing outside the folder is served, nothing is cached.
import {createServer} from 'node:http';
import {readFile} from 'node:fs/promises';
import {extname, join, normalize, resolve, sep} from 'node:path';
import {pathToFileURL} from 'node:url';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

async function answer(folder, request, response) {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  const file = normalize(join(folder, path.endsWith('/') ? path + 'index.html' : path));
  try {
    if (!file.startsWith(folder + sep)) throw new Error('outside the folder');
    const body = await readFile(file);
    response.writeHead(200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      'Cache-Control': 'no-store',
      // Isolated pages get the browser's finer CPU clock.
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    });
    response.end(body);
  } catch {
    response.writeHead(404, {'Content-Type': 'text/plain'});
    response.end('There is no such file.\n');
  }
}

// Resolves to {url, close()} once the server listens.
export function serve(folder, port = 0) {
  const root = resolve(folder);
  const server = createServer((request, response) => {
    answer(root, request, response).catch(() => response.destroy());
  });
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      done({url: `http://localhost:${server.address().port}/`, close: () => server.close()});
    });
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder = '.', port = '0'] = process.argv.slice(2);
  try {
    const {url} = await serve(folder, Number(port));
    console.log(`Open ${url} in a browser. Stop with Ctrl+C.`);
  } catch (error) {
    console.error(error.code === 'EADDRINUSE' ? `Port ${port} is taken: choose another with --port.` : error.message);
    process.exit(1);
  }
}
