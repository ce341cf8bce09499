# SPDX-License-Identifier: BSD-3-Clause
"""Plain sockets between two hosts, the yardstick of `lab.py check`: goodput.py send|receive|both|ping|echo PEER SECONDS"""
import socket, sys, threading, time

mode, peer, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
PORT = 5999


def accept():
    with socket.create_server(("", PORT)) as server:
        server.settimeout(20)
        connection = server.accept()[0]
    connection.settimeout(20)
    return connection


def connect():
    for _ in range(400):  # the other side may not listen yet
        try:
            connection = socket.create_connection((peer, PORT), timeout=20)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except OSError:
            time.sleep(0.02)
    raise SystemExit("goodput: %s does not answer" % peer)


def receive():
    connection, buffer, total, marks = accept(), bytearray(1 << 20), 0, []
    while got := connection.recv_into(buffer):
        total += got
        marks.append((time.perf_counter(), total))
    # The beginning fills queues and buffers faster than the cable is.
    marks = [m for m in marks if m[0] >= marks[0][0] + 0.2 * seconds]
    print("%.0f Mbit/s" % ((marks[-1][1] - marks[0][1]) * 8e-6 / (marks[-1][0] - marks[0][0])))


def send():
    connection, block, end = connect(), bytes(1 << 18), time.perf_counter() + seconds
    while time.perf_counter() < end:
        connection.sendall(block)
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)


def ping():
    connection, times = connect(), []
    for _ in range(400):
        begin = time.perf_counter()
        connection.sendall(b"x")
        connection.recv(1)
        times.append(time.perf_counter() - begin)
    print("%.0f us" % (sorted(times)[len(times) // 2] * 1e6))


def echo():
    connection = accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := connection.recv(1):
        connection.sendall(data)


parts = {"send": [send], "receive": [receive], "both": [receive, send], "ping": [ping], "echo": [echo]}[mode]
threads = [threading.Thread(target=part) for part in parts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
