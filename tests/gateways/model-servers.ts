import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FUNDED, type TestSetup } from './configure-software.ts'
import type { ThirdPartySoftware } from './third-party-software.ts'
import { startServer } from './start-server.ts'

/** One thread, and no downloads of models. */
const ENVIRONMENT = { OMP_NUM_THREADS: '1', HF_HUB_OFFLINE: '1', CUDA_VISIBLE_DEVICES: '' }

/**
 * Makes a tiny model with random weights, unless the directory of the program already contains it.
 * @returns its path
 */
async function makeModel({ commands, directory }: TestSetup, script: string, name: string): Promise<string> {
  const path = join(directory, name)
  if (existsSync(path)) return path
  const file = fileURLToPath(new URL(`models/${script}`, import.meta.url))
  await promisify(execFile)(join(commands, 'python'), [file, path], { env: { ...process.env, ...ENVIRONMENT } })
  return path
}

/** Options for a server that serves one model, and neither images nor audio. It has no accounts. */
function chatOnly(model: string): ReturnType<ThirdPartySoftware['options']> {
  const without = ['images', 'transcriptions', 'speech', 'credits', 'rate-limit'] as const
  return { keys: { funded: FUNDED }, models: [model], without }
}

/** Servers of models, each with a tiny model that the test makes. */
export const MODEL_SERVERS: readonly ThirdPartySoftware[] = [
  {
    id: 'transformers',
    title: '`transformers serve`, a tiny Llama',
    source: { registry: 'PyPI', packages: ['transformers[serving]==5.24.0', 'torch==2.13.0'] },
    async start(place) {
      const model = await makeModel(place, 'make_llama.py', 'tiny')
      return startServer({
        command: join(place.commands, 'transformers'),
        arguments: (port) => ['serve', '--host', '127.0.0.1', '--port', String(port), '--device', 'cpu', model],
        directory: place.directory,
        environment: () => ENVIRONMENT,
      })
    },
    options: ({ directory }) => chatOnly(join(directory, 'tiny')),
  },
  {
    id: 'mlx-lm',
    title: 'mlx_lm.server on a CPU, a tiny Llama',
    source: { registry: 'PyPI', packages: ['mlx-lm==0.32.2', 'mlx[cpu]==0.32.4'] },
    async start(place) {
      const model = await makeModel(place, 'make_llama.py', 'tiny')
      // The server lists the models of this directory.
      const cache = join(place.directory, 'cache')
      mkdirSync(join(cache, 'hub'), { recursive: true })
      return startServer({
        command: join(place.commands, 'mlx_lm.server'),
        arguments: (port) => ['--model', model, '--host', '127.0.0.1', '--port', String(port)],
        directory: place.directory,
        environment: () => ({ ...ENVIRONMENT, HF_HOME: cache }),
      })
    },
    options: ({ directory }) => chatOnly(join(directory, 'tiny')),
  },
  {
    id: 'llama-cpp-python',
    title: 'llama_cpp.server, `--interrupt_requests False`, a tiny Llama',
    // The installation compiles llama.cpp, which takes minutes.
    source: { registry: 'PyPI', packages: ['llama-cpp-python[server]==0.3.36', 'gguf==0.19.0', 'tokenizers==0.23.3'] },
    async start(place) {
      const model = await makeModel(place, 'make_llama.py', 'tiny.gguf')
      const settings = ['--model', model, '--model_alias', 'tiny', '--n_ctx', '2048', '--n_threads', '1']
      return startServer({
        command: join(place.commands, 'python'),
        arguments: (port) => {
          const address = ['--host', '127.0.0.1', '--port', String(port)]
          // By default, each request cuts the stream that is in progress, so that the findings depend on the times.
          const options = ['--api_key', FUNDED, '--interrupt_requests', 'False']
          return ['-m', 'llama_cpp.server', ...settings, ...options, ...address]
        },
        directory: place.directory,
        environment: () => ENVIRONMENT,
      })
    },
    options: () => chatOnly('tiny'),
  },
  {
    id: 'faster-whisper-server',
    title: 'faster-whisper-server, a tiny Whisper',
    source: { registry: 'PyPI', packages: ['faster-whisper-server==0.0.3'] },
    async start(place) {
      const model = await makeModel(place, 'make_whisper.py', 'whisper')
      return startServer({
        command: join(place.commands, 'faster-whisper-server'),
        arguments: (port) => [model, '--host', '127.0.0.1', '--port', String(port)],
        directory: place.directory,
        environment: () => ENVIRONMENT,
      })
    },
    options: () => ({
      keys: { funded: FUNDED },
      models: ['whisper-1'],
      without: ['models', 'chat', 'images', 'speech', 'credits', 'rate-limit'],
    }),
  },
]
