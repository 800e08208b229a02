"""TLS in front of a program on this machine that has none.

Certificate and key are the files in FRONT_CERTIFICATE and FRONT_KEY, the program's port is FRONT_PORT. Prints one line, `ready at PORT`.
"""

import asyncio
import os
import ssl


async def pass_on(source, sink):
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    finally:
        sink.close()


async def connect(reader, writer):
    try:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", int(os.environ["FRONT_PORT"]))
    except OSError:
        writer.close()
        return
    await asyncio.gather(pass_on(reader, inner_writer), pass_on(inner_reader, writer))


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["FRONT_CERTIFICATE"], os.environ["FRONT_KEY"])
    server = await asyncio.start_server(connect, "127.0.0.1", 0, ssl=context)
    print(f"ready at {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
