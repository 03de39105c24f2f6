import { type ReverseProxy, startReverseProxy } from './start-program.ts'

/**
 * Starts nginx in front of the server at `upstreamUrl`, with its defaults and the given `location` directives, such as
 * `proxy_buffering off;`. By default, nginx uses HTTP/1.0 upstream and forwards a response in full buffers.
 */
export function startNginx(upstreamUrl: string, directives: readonly string[] = []): Promise<ReverseProxy> {
  return startReverseProxy({
    command: 'nginx',
    arguments: (file, directory) => ['-c', file, '-p', directory, '-e', 'stderr', '-g', 'daemon off;'],
    // If nginx runs as root, its workers run as `nobody` by default, and cannot write large bodies to the directory.
    configuration: (port, directory) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${directory}/nginx.pid;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstreamUrl};
      proxy_set_header Host $http_host;
      ${directives.join('\n      ')}
    }
  }
}
`,
  })
}
