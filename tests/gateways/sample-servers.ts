import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningServer, startServer } from './start-server.ts'

/** Directories of an installed program that serves a small application. */
interface SampleSetup {
  readonly directory: string
  readonly commands: string
}

/** Starts a Cloudflare Worker that forwards every request, in the local simulator of Cloudflare. */
export function startWorker({ directory, upstreamUrl }: SampleSetup & { readonly upstreamUrl: string }) {
  const worker = `export default {
  fetch(request) {
    const { pathname, search } = new URL(request.url)
    return fetch(${JSON.stringify(upstreamUrl)} + pathname + search, request)
  },
}
`
  const starter = join(directory, 'start.mjs')
  writeFileSync(join(directory, 'worker.mjs'), worker)
  writeFileSync(
    starter,
    `import { Miniflare } from 'miniflare'
const [scriptPath, port] = process.argv.slice(2)
const options = { modules: true, scriptPath, host: '127.0.0.1', port: Number(port), compatibilityDate: '2026-01-01' }
const miniflare = new Miniflare(options)
await miniflare.ready
process.once('SIGTERM', () => miniflare.dispose().then(() => process.exit()))
`,
  )
  return startServer({
    command: process.execPath,
    arguments: (port) => [starter, join(directory, 'worker.mjs'), String(port)],
    directory,
  })
}

/** Starts Hayhooks with a pipeline that returns the last message of the user. */
export function startHayhooks({ directory, commands }: SampleSetup): Promise<RunningServer> {
  const pipeline = join(directory, 'pipelines', 'echo')
  mkdirSync(pipeline, { recursive: true })
  writeFileSync(
    join(pipeline, 'pipeline_wrapper.py'),
    `from hayhooks import BasePipelineWrapper, get_last_user_message


class PipelineWrapper(BasePipelineWrapper):
    def setup(self) -> None:
        self.pipeline = None

    def run_api(self, text: str) -> str:
        return text

    def run_chat_completion(self, model: str, messages: list[dict], body: dict):
        text = f"You said: {get_last_user_message(messages)}"
        if not body.get("stream"):
            return text
        return (word + " " for word in text.split(" "))
`,
  )
  return startServer({
    command: join(commands, 'hayhooks'),
    arguments: (port) => [
      'run',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--pipelines-dir',
      join(directory, 'pipelines'),
    ],
    directory,
  })
}
