/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.c - SIGINT as something that can be read. */
#include "cmd/interrupt.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

void interrupt_catch(struct interrupt *i)
{
	struct sigaction now;
	sigset_t wanted;
	int fd;

	i->fd = 0;
	if (sigaction(SIGINT, NULL, &now) || now.sa_handler == SIG_IGN)
		return;
	(void)sigemptyset(&wanted);
	(void)sigaddset(&wanted, SIGINT);
	fd = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
	i->fd = fd > 0 ? fd : 0;
	if (i->fd)
		(void)sigprocmask(SIG_BLOCK, &wanted, &i->before);
}

bool interrupt_release(struct interrupt *i)
{
	struct signalfd_siginfo info;
	bool came = false;

	if (!i->fd)
		return false;
	while (read(i->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		came = true;
	(void)close(i->fd);
	(void)sigprocmask(SIG_SETMASK, &i->before, NULL);
	i->fd = 0;
	return came;
}
