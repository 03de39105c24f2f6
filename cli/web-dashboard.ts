import { createServer } from 'node:net'

export interface WebDashboard {
  readonly url: string
  readonly k6Options: readonly string[]
}

/**
 * Prepares k6's web dashboard on a free port of this machine.
 * @param opensBrowser whether k6 opens the page in a browser
 */
export async function prepareWebDashboard(opensBrowser: boolean): Promise<WebDashboard> {
  const port = await findFreePort()
  // By default, k6 would listen on all addresses of this machine and update the page every ten seconds.
  const settings = new URLSearchParams({ host: '127.0.0.1', port: `${port}`, period: '2s', open: `${opensBrowser}` })
  return { url: `http://127.0.0.1:${port}/`, k6Options: ['--out', `web-dashboard=${settings}`] }
}

function findFreePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
